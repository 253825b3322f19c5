/* Copies of all kinds: to the next rank, from the previous one, and between two others; starter and registered memory. */
#include "check.h"

#include <stdlib.h>

enum { most = 300000 };
static const size_t sizes[] = {0, 1, 4, 8, 16, 17, 1000, 16384, most};

static unsigned char byte_of(int rank, size_t size, size_t i) {
    return (unsigned char)((size_t)rank * 31 + size * 7 + i + i / 251);
}

static int holds_bytes_of(const unsigned char *bytes, int rank, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        if (bytes[i] != byte_of(rank, size, i)) return 0;
    }
    return 1;
}

int main(int argc, char **argv) {
    CHECK(acp_rank() == -1 && errno == EPERM);
    CHECK(acp_init(&argc, &argv) == 0);
    const int me = acp_rank(), procs = acp_procs();
    const int next = (me + 1) % procs, before = (me + procs - 1) % procs;

    unsigned char *memory = calloc(4, most);
    acp_atkey_t key = acp_register_memory(memory, 4 * most, 0);
    CHECK(key != ACP_ATKEY_NULL);
    acp_ga_t *addresses = acp_query_address(acp_query_starter_ga(me));
    CHECK(addresses != NULL);

    /* Everybody tells everybody where its memory is. */
    acp_ga_t *mine = addresses + procs;
    *mine = acp_query_ga(key, memory);
    CHECK(acp_query_rank(*mine) == me && acp_query_address(*mine) == memory && acp_query_color(*mine) == 0);
    for (int rank = 0; rank < procs; ++rank) {
        acp_ga_t there = acp_query_starter_ga(rank) + 8 * (size_t)me;
        CHECK(acp_copy(there, acp_query_starter_ga(me) + 8 * (size_t)procs, 8, ACP_HANDLE_NULL) != ACP_HANDLE_NULL);
    }
    CHECK(acp_complete(ACP_HANDLE_ALL) == 0);
    CHECK(acp_sync() == 0);

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        const size_t size = sizes[s];
        for (size_t i = 0; i < size; ++i) memory[i] = byte_of(me, size, i);
        CHECK(acp_sync() == 0);
        /* A put to the next, a get from it, and the one after it to the one before us. */
        acp_copy(addresses[next] + most, addresses[me], size, ACP_HANDLE_NULL);
        acp_handle_t get = acp_copy(addresses[me] + 2 * most, addresses[next], size, ACP_HANDLE_NULL);
        acp_handle_t far = acp_copy(addresses[before] + 3 * most, addresses[(next + 1) % procs], size, ACP_HANDLE_NULL);
        CHECK(far > get);
        CHECK(acp_complete(far) == 0);
        CHECK(acp_inquire(far) == 0 && acp_inquire(ACP_HANDLE_ALL) == 0);
        CHECK(holds_bytes_of(memory + 2 * most, next, size));
        CHECK(acp_sync() == 0);
        CHECK(holds_bytes_of(memory + most, before, size));
        CHECK(holds_bytes_of(memory + 3 * most, (me + 3) % procs, size));
        CHECK(acp_sync() == 0);
    }

    /* What is refused: at once, or when it is completed. */
    CHECK(acp_copy(ACP_GA_NULL, addresses[me], 8, ACP_HANDLE_NULL) == (acp_handle_t)ACP_HANDLE_NULL && errno == EINVAL);
    CHECK(acp_copy(addresses[me] + 4 * most, addresses[me], 1, ACP_HANDLE_NULL) == (acp_handle_t)ACP_HANDLE_NULL &&
          errno == EFAULT);
    if (procs > 1) {
        acp_handle_t outside = acp_copy(addresses[me], addresses[next] + 4 * most - 8, 9, ACP_HANDLE_NULL);
        acp_handle_t within = acp_copy(addresses[me], addresses[next] + 4 * most - 8, 8, outside);
        CHECK(acp_complete(within) == -1 && errno == EFAULT);
        CHECK(strstr(acp_error_message(), "has not registered") != NULL);
        CHECK(acp_complete(within) == 0);
    }
    CHECK(acp_complete((acp_handle_t)ACP_HANDLE_NULL) == 0 && acp_complete(1 << 30) == 0);
    CHECK(acp_query_starter_ga(procs) == ACP_GA_NULL && errno == EINVAL);
    CHECK(acp_register_memory(memory, 8, 1) == ACP_ATKEY_NULL && acp_colors() == 1);

    CHECK(acp_sync() == 0);
    CHECK(acp_unregister_memory(key) == 0);
    CHECK(acp_unregister_memory(key) == -1 && errno == EINVAL);
    CHECK(acp_finalize() == 0);
    free(memory);
    return failures();
}
