/* Memory is registered and unregistered: other ranks reach it, at odd addresses too, exactly as long as it is registered;
 * and a process has as many registrations at a time as acp.h says. */
#include "check.h"

#include <stdlib.h>

enum { rounds = 20, size = 2000, part = 1500, max_registrations = 254 };

static void come_and_go(void) {
    const int next = (acp_rank() + 1) % acp_procs();
    const acp_ga_t mine = acp_query_starter_ga(acp_rank()), inbox = mine + 64;
    uint64_t *words = acp_query_address(mine);
    const unsigned char *received = acp_query_address(inbox);
    for (int round = 0; round < rounds; ++round) {
        unsigned char *bytes = malloc(size + 8), *start = bytes + round % 8;
        memset(bytes, round + acp_rank(), size + 8);
        const acp_atkey_t key = acp_register_memory(start, size, 0);
        words[0] = acp_query_ga(key, start + 3);
        CHECK(acp_sync() == 0);
        CHECK(acp_complete(acp_copy(mine + 8, acp_query_starter_ga(next), 8, ACP_HANDLE_NULL)) == 0);
        CHECK(acp_complete(acp_copy(inbox, words[1], part, ACP_HANDLE_NULL)) == 0);
        CHECK(received[0] == (unsigned char)(round + next) && memcmp(received, received + 1, part - 1) == 0);
        CHECK(acp_sync() == 0);
        CHECK(acp_unregister_memory(key) == 0);
        free(bytes);
        CHECK(acp_sync() == 0);
        if (next != acp_rank()) {
            CHECK(acp_complete(acp_copy(inbox, words[1], part, ACP_HANDLE_NULL)) == -1 && errno == EFAULT);
            CHECK(acp_complete(acp_copy(words[1], inbox, part, ACP_HANDLE_NULL)) == -1 && errno == EFAULT);
        }
        CHECK(acp_sync() == 0);
    }
}

static void register_as_many_as_there_may_be(void) {
    static char bytes[max_registrations + 1];
    acp_atkey_t keys[max_registrations];
    for (int i = 0; i < max_registrations; ++i) CHECK((keys[i] = acp_register_memory(bytes + i, 2, 0)) != ACP_ATKEY_NULL);
    CHECK(acp_register_memory(bytes, 1, 0) == ACP_ATKEY_NULL && errno == ENOSPC);
    CHECK(strstr(acp_error_message(), "254 registrations") != NULL);
    for (int i = 0; i < max_registrations; ++i) CHECK(acp_unregister_memory(keys[i]) == 0);
}

int main(void) {
    CHECK(acp_init(NULL, NULL) == 0);
    come_and_go();
    register_as_many_as_there_may_be();
    CHECK(acp_finalize() == 0);
    return failures();
}
