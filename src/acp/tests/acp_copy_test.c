/* Copies between registered memory: to the next rank, from the next rank, and between two other ranks. */
#include "check.h"

#include <stdlib.h>

enum { max_size = 300000 };
static const size_t sizes[] = {0, 1, 4, 8, 16, 17, 1000, 16384, max_size};

static unsigned char byte_of(int rank, size_t size, size_t i) {
    return (unsigned char)((size_t)rank * 31 + size * 7 + i + i / 251);
}

static int holds_bytes_of(const unsigned char *bytes, int rank, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        if (bytes[i] != byte_of(rank, size, i)) return 0;
    }
    return 1;
}

static int me, procs, next, before;
static unsigned char *memory; /* of this rank, registered: to be read, put by the rank before, got, put by another one */
static acp_ga_t *addresses;   /* of each rank's memory */

/* Every rank sends every rank the address of its memory. */
static void exchange_addresses(acp_atkey_t key) {
    addresses = acp_query_address(acp_query_starter_ga(me));
    CHECK(addresses != NULL);
    acp_ga_t *mine = addresses + procs;
    *mine = acp_query_ga(key, memory);
    CHECK(acp_query_rank(*mine) == me && acp_query_address(*mine) == memory && acp_query_color(*mine) == 0);
    for (int rank = 0; rank < procs; ++rank) {
        acp_ga_t there = acp_query_starter_ga(rank) + 8 * (size_t)me;
        CHECK(acp_copy(there, acp_query_starter_ga(me) + 8 * (size_t)procs, 8, ACP_HANDLE_NULL) != ACP_HANDLE_NULL);
    }
    CHECK(acp_complete(ACP_HANDLE_ALL) == 0);
    CHECK(acp_sync() == 0);
}

/* A put to the next rank, a get from it, and a copy from the rank after it to the rank before this one. */
static void copy_in_all_directions(size_t size) {
    for (size_t i = 0; i < size; ++i) memory[i] = byte_of(me, size, i);
    CHECK(acp_sync() == 0);
    acp_copy(addresses[next] + max_size, addresses[me], size, ACP_HANDLE_NULL);
    acp_handle_t get = acp_copy(addresses[me] + 2 * max_size, addresses[next], size, ACP_HANDLE_NULL);
    acp_handle_t far = acp_copy(addresses[before] + 3 * max_size, addresses[(next + 1) % procs], size, ACP_HANDLE_NULL);
    CHECK(far > get);
    CHECK(acp_complete(far) == 0);
    CHECK(acp_inquire(far) == 0 && acp_inquire(ACP_HANDLE_ALL) == 0);
    CHECK(holds_bytes_of(memory + 2 * max_size, next, size));
    CHECK(acp_sync() == 0);
    CHECK(holds_bytes_of(memory + max_size, before, size));
    CHECK(holds_bytes_of(memory + 3 * max_size, (me + 3) % procs, size));
    CHECK(acp_sync() == 0);
}

/* Some copies are refused at once, others fail when they are completed. */
static void check_refusals(void) {
    const acp_ga_t mine = addresses[me], end = mine + 4 * max_size;
    CHECK(acp_copy(ACP_GA_NULL, mine, 8, ACP_HANDLE_NULL) == (acp_handle_t)ACP_HANDLE_NULL && errno == EINVAL);
    CHECK(acp_copy(end, mine, 1, ACP_HANDLE_NULL) == (acp_handle_t)ACP_HANDLE_NULL && errno == EFAULT);
    if (procs > 1) {
        acp_ga_t last_word = addresses[next] + 4 * max_size - 8;
        acp_handle_t outside = acp_copy(mine, last_word, 9, ACP_HANDLE_NULL);
        acp_handle_t within = acp_copy(mine, last_word, 8, outside);
        CHECK(acp_complete(within) == -1 && errno == EFAULT);
        CHECK(strstr(acp_error_message(), "has not registered") != NULL);
        CHECK(acp_complete(within) == 0);
    }
    CHECK(acp_complete((acp_handle_t)ACP_HANDLE_NULL) == 0 && acp_complete(1 << 30) == 0);
    CHECK(acp_query_starter_ga(procs) == ACP_GA_NULL && errno == EINVAL);
    CHECK(acp_register_memory(memory, 8, 1) == ACP_ATKEY_NULL && acp_colors() == 1);
}

int main(int argc, char **argv) {
    CHECK(acp_rank() == -1 && errno == EPERM);
    CHECK(acp_init(&argc, &argv) == 0);
    me = acp_rank();
    procs = acp_procs();
    next = (me + 1) % procs;
    before = (me + procs - 1) % procs;
    memory = calloc(4, max_size);
    acp_atkey_t key = acp_register_memory(memory, 4 * max_size, 0);
    CHECK(key != ACP_ATKEY_NULL);
    exchange_addresses(key);

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) copy_in_all_directions(sizes[s]);
    check_refusals();

    CHECK(acp_sync() == 0);
    CHECK(acp_unregister_memory(key) == 0);
    CHECK(acp_unregister_memory(key) == -1 && errno == EINVAL);
    CHECK(acp_finalize() == 0);
    free(memory);
    return failures();
}
