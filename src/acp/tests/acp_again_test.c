/* The library is opened and closed several times, with acp_reset between, and channels are left open: late packets of the
 * time before must do no harm. */
#include "check.h"

enum { openings = 6, resets = 4 };

static void add_to_the_next(void) {
    const acp_ga_t mine = acp_query_starter_ga(acp_rank());
    const acp_ga_t next = acp_query_starter_ga((acp_rank() + 1) % acp_procs());
    const uint64_t *words = acp_query_address(mine);
    CHECK(seen(words + 1) == 0);
    CHECK(acp_sync() == 0);
    CHECK(acp_complete(acp_add8(mine, next + 8, 1, ACP_HANDLE_NULL)) == 0);
    if (acp_procs() > 1) CHECK(acp_create_ch(acp_rank(), (acp_rank() + 1) % acp_procs()) != ACP_CH_NULL);
    CHECK(acp_sync() == 0);
    CHECK(seen(words + 1) == 1);
}

int main(void) {
    for (int opening = 0; opening < openings; ++opening) {
        CHECK(acp_init(NULL, NULL) == 0);
        CHECK(acp_init(NULL, NULL) == -1 && errno == EPERM);
        for (int reset = 0; reset < resets; ++reset) {
            add_to_the_next();
            const int rank = (acp_rank() + reset) % acp_procs();
            CHECK(acp_reset(rank) == 0 && acp_rank() == rank);
        }
        CHECK(acp_finalize() == 0);
        CHECK(acp_finalize() == -1 && errno == EPERM);
    }
    return failures();
}
