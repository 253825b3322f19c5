/* Edge cases: copies of no bytes, copies that overlap, memory that is not registered, ranks that do not exist, words that
 * are not aligned, another rank after acp_reset, and operations that are under way at acp_finalize. */
#include "check.h"

enum { size = 4096, large = 100000 };

static unsigned char memory[size];
static unsigned char inbox[large], outbox[large];
static int me, procs, next, far;
static acp_ga_t starter, addresses[3]; /* of `memory`: ours, next's, far's */

/* The address in the other ranks of what this rank has at `here`. */
static void exchange_addresses(acp_ga_t here, acp_ga_t *there) {
    acp_ga_t *addresses_of_rank = acp_query_address(starter);
    CHECK(acp_sync() == 0);
    *addresses_of_rank = here;
    CHECK(acp_sync() == 0);
    there[0] = here;
    acp_copy(starter + 8, acp_query_starter_ga(next), 8, ACP_HANDLE_NULL);
    acp_copy(starter + 16, acp_query_starter_ga(far), 8, ACP_HANDLE_NULL);
    CHECK(acp_complete(ACP_HANDLE_ALL) == 0);
    there[1] = addresses_of_rank[1];
    there[2] = addresses_of_rank[2];
    CHECK(acp_sync() == 0);
}

static int completes(acp_handle_t handle) {
    CHECK(handle != (acp_handle_t)ACP_HANDLE_NULL);
    return acp_complete(handle) == 0;
}

static int fails_with(acp_handle_t handle, int code) {
    return acp_complete(handle) == -1 && errno == code;
}

static void copy_nothing(void) {
    for (int to = 0; to < 3; ++to) {
        for (int from = 0; from < 3; ++from) {
            CHECK(completes(acp_copy(addresses[to] + size, addresses[from] + size, 0, ACP_HANDLE_NULL)));
        }
    }
}

/* Each rank within its own memory, then the second half of the next one's. */
static void copy_over_itself(void) {
    for (size_t i = 0; i < size; ++i) memory[i] = (unsigned char)(i % 251);
    CHECK(completes(acp_copy(addresses[0] + 8, addresses[0], 1000, ACP_HANDLE_NULL)));
    for (size_t i = 0; i < 1000; ++i) CHECK(memory[i + 8] == i % 251);
    CHECK(acp_sync() == 0);
    CHECK(completes(acp_copy(addresses[1] + size / 2, addresses[1] + size / 2 + 24, 1000, ACP_HANDLE_NULL)));
    CHECK(acp_sync() == 0);
    for (size_t i = size / 2; i < size / 2 + 1000; ++i) CHECK(memory[i] == (i + 24) % 251);
    CHECK(acp_sync() == 0);
}

static void refuse_what_is_not_there(void) {
    const acp_ga_t near_end = addresses[1] + size - 8;
    if (next != me) {
        CHECK(fails_with(acp_copy(near_end, addresses[0], 9, ACP_HANDLE_NULL), EFAULT));
        CHECK(fails_with(acp_copy(near_end, addresses[0], 100, ACP_HANDLE_NULL), EFAULT));
        CHECK(fails_with(acp_copy(near_end, addresses[2], 100, ACP_HANDLE_NULL), EFAULT));
        CHECK(fails_with(acp_copy(addresses[2], near_end, 100, ACP_HANDLE_NULL), EFAULT));
        CHECK(fails_with(acp_add8(starter, near_end + 8, 1, ACP_HANDLE_NULL), EFAULT));
        CHECK(acp_query_address(addresses[1]) == NULL && errno == EINVAL);
        CHECK(acp_add8(addresses[1], addresses[0], 1, ACP_HANDLE_NULL) == (acp_handle_t)ACP_HANDLE_NULL &&
              errno == EINVAL);
    }
    CHECK(acp_query_starter_ga(-1) == ACP_GA_NULL && errno == EINVAL);
    CHECK(acp_create_ch(me, procs) == ACP_CH_NULL && errno == EINVAL);
    CHECK(acp_create_ch(-1, me) == ACP_CH_NULL && strcmp(acp_error_message(), "there is no rank -1") == 0);
    CHECK(acp_reset(procs) == -1 && acp_reset(-1) == -1 && acp_rank() == me);
    CHECK(acp_register_memory(NULL, 8, 0) == ACP_ATKEY_NULL && errno == EINVAL);
    CHECK(acp_register_memory(memory, 0, 0) == ACP_ATKEY_NULL && errno == EINVAL);
    CHECK(acp_register_memory(memory, SIZE_MAX, 0) == ACP_ATKEY_NULL && errno == EINVAL);
    CHECK(acp_register_memory((void *)(UINTPTR_MAX - 15), 64, 0) == ACP_ATKEY_NULL && errno == EINVAL);
    CHECK(acp_query_ga(ACP_ATKEY_NULL, memory) == ACP_GA_NULL && errno == EINVAL);
    CHECK(acp_query_rank(ACP_GA_NULL) == -1 && acp_query_color(ACP_GA_NULL) == -1);
    CHECK(acp_wait_ch(ACP_REQUEST_NULL) == (size_t)-1 && errno == EINVAL);
    CHECK(acp_free_ch(ACP_CH_NULL) == -1 && errno == EINVAL);
}

/* Every second of so many operations fails that the failures can't be kept apart any more. */
static void report_every_failure(void) {
    enum { count = 5000 };
    static acp_handle_t handles[count];
    if (next == me) return;
    for (int i = 0; i < count; ++i) {
        const acp_ga_t to = addresses[1] + (i % 2 == 0 ? size - 8 : 0);
        handles[i] = acp_copy(to, addresses[0], 64, ACP_HANDLE_NULL);
    }
    CHECK(fails_with(handles[1023], EFAULT));
    CHECK(acp_complete(handles[1023]) == 0);
    for (int i = 1024; i < count; i += 2) CHECK(fails_with(handles[i], EFAULT));
    CHECK(acp_complete(ACP_HANDLE_ALL) == 0);
    CHECK(acp_sync() == 0);
    for (int i = 0; i < count; ++i) acp_copy(addresses[1] + size - 8, addresses[0], 64, ACP_HANDLE_NULL);
    CHECK(fails_with(acp_copy(addresses[1] + size - 8, addresses[0], 64, ACP_HANDLE_NULL), EFAULT));
    CHECK(acp_complete(ACP_HANDLE_ALL) == 0);
    CHECK(acp_sync() == 0);
}

/* What begins at an odd address has its words at odd addresses, too. */
static void refuse_words_that_are_not_aligned(void) {
    static uint64_t words[4];
    const acp_atkey_t key = acp_register_memory((char *)words + 1, 16, 0);
    acp_ga_t odd[3];
    exchange_addresses(acp_query_ga(key, (char *)words + 1), odd);
    CHECK(acp_add8(starter, odd[0], 1, ACP_HANDLE_NULL) == (acp_handle_t)ACP_HANDLE_NULL && errno == EINVAL);
    CHECK(acp_add8(odd[0], starter, 1, ACP_HANDLE_NULL) == (acp_handle_t)ACP_HANDLE_NULL && errno == EINVAL);
    CHECK(acp_add8(odd[0], acp_query_starter_ga(next), 1, ACP_HANDLE_NULL) == (acp_handle_t)ACP_HANDLE_NULL &&
          errno == EINVAL);
    CHECK(acp_cas4(odd[0], starter, 0, 1, ACP_HANDLE_NULL) == (acp_handle_t)ACP_HANDLE_NULL && errno == EINVAL);
    if (next != me) CHECK(fails_with(acp_add8(starter, odd[1], 1, ACP_HANDLE_NULL), EFAULT));
    CHECK(acp_sync() == 0);
    CHECK(acp_unregister_memory(key) == 0);
    CHECK(acp_sync() == 0);
    if (next != me) CHECK(fails_with(acp_copy(odd[1], addresses[0], 8, ACP_HANDLE_NULL), EFAULT));
}

static void settle_in(void) {
    me = acp_rank();
    procs = acp_procs();
    next = (me + 1) % procs;
    far = (me + 2) % procs;
    starter = acp_query_starter_ga(me);
    for (int i = 0; i < 8; ++i) CHECK(((uint64_t *)acp_query_address(starter))[i] == 0);
    exchange_addresses(acp_query_ga(acp_register_memory(memory, size, 0), memory), addresses);
}

int main(void) {
    CHECK(acp_init(NULL, NULL) == 0);
    settle_in();
    copy_nothing();
    copy_over_itself();
    refuse_what_is_not_there();
    refuse_words_that_are_not_aligned();
    report_every_failure();

    const acp_ch_t old = procs > 1 ? acp_create_ch(me, next) : ACP_CH_NULL;
    CHECK(acp_reset(next) == 0 && acp_rank() == next);
    CHECK(acp_nbsend_ch(old, memory, 1) == ACP_REQUEST_NULL && errno == EINVAL);
    settle_in();
    copy_over_itself();

    /* Nobody completes these but acp_finalize, of all processes. */
    acp_ga_t in[3], out[3];
    exchange_addresses(acp_query_ga(acp_register_memory(inbox, large, 0), inbox), in);
    exchange_addresses(acp_query_ga(acp_register_memory(outbox, large, 0), outbox), out);
    memset(outbox, me + 1, large);
    CHECK(acp_sync() == 0);
    acp_copy(in[1], out[0], large / 2, ACP_HANDLE_NULL);
    acp_copy(in[2] + large / 2, out[1], large / 2, ACP_HANDLE_CONT);
    CHECK(acp_finalize() == 0);
    const int before = (me + procs - 1) % procs;
    for (size_t i = 0; i < large; ++i) CHECK(inbox[i] == before + 1);
    return failures();
}
