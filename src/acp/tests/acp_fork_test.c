/* Children of fork that end at once, that exit, and that call the library, which is closed there. Their parents must go
 * on undisturbed. */
#define _GNU_SOURCE
#include "check.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t *words;

static int status_of(pid_t child) {
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void call_in_vain(void) {
    CHECK(acp_rank() == -1 && errno == EPERM);
    CHECK(acp_sync() == -1 && acp_finalize() == -1);
    CHECK(acp_init(NULL, NULL) == -1 && errno == EPERM);
    CHECK(seen(words) == (uint64_t)getppid()); /* memory is still there */
}

/* `child` is what it does. */
static void fork_and_go_on(void (*child)(void), int (*end)(void)) {
    const pid_t forked = fork();
    if (forked == 0) {
        if (child) child();
        end ? exit(end()) : _exit(0);
    }
    CHECK(forked > 0 && status_of(forked) == 0);
    const acp_ga_t mine = acp_query_starter_ga(acp_rank());
    const acp_ga_t next = acp_query_starter_ga((acp_rank() + 1) % acp_procs());
    CHECK(acp_complete(acp_add8(mine + 8, next + 16, 1, ACP_HANDLE_NULL)) == 0);
    CHECK(acp_sync() == 0);
}

int main(void) {
    CHECK(acp_init(NULL, NULL) == 0);
    uint64_t *own = acp_query_address(acp_query_starter_ga(acp_rank()));
    words = own;
    own[0] = (uint64_t)getpid();
    CHECK(acp_sync() == 0);
    fork_and_go_on(NULL, NULL);
    fork_and_go_on(NULL, failures);
    fork_and_go_on(call_in_vain, failures);
    CHECK(seen(words + 2) == 3);

    /* What a child holds open must not be in the way of what its parent opens next. */
    const pid_t lasting = fork();
    if (lasting == 0) pause();
    CHECK(acp_reset((acp_rank() + 1) % acp_procs()) == 0);
    CHECK(acp_finalize() == 0 && acp_init(NULL, NULL) == 0);
    CHECK(kill(lasting, SIGKILL) == 0 && status_of(lasting) == -1);
    CHECK(acp_finalize() == 0);
    return failures();
}
