/* A program exits without acp_finalize while its threads wait in the library: it must have its own exit status, and
 * leave no file in /dev/shm. */
#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void *wait_in_vain(void *unused) {
    static char byte;
    acp_wait_ch(acp_nbrecv_ch(acp_create_ch(1, 0), &byte, 1));
    return unused;
}

static void *call_all_the_time(void *unused) {
    const acp_ga_t mine = acp_query_starter_ga(0), other = acp_query_starter_ga(1);
    for (;;) acp_copy(mine, other, 8, ACP_HANDLE_NULL);
    return unused;
}

static void work_and_exit(void) {
    if (acp_init(NULL, NULL) != 0) _exit(1);
    pthread_t threads[2];
    if (acp_rank() == 0) {
        pthread_create(&threads[0], NULL, wait_in_vain, NULL);
        pthread_create(&threads[1], NULL, call_all_the_time, NULL);
    }
    const struct timespec moment = {0, 50000000};
    nanosleep(&moment, NULL);
    exit(7);
}

/* Of jobs of this user whose processes have ended. */
static int folders_left(void) {
    char begin[32];
    snprintf(begin, sizeof begin, "ayatori-%u-", (unsigned)geteuid());
    int count = 0;
    DIR *folder = opendir("/dev/shm");
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[512];
        if (strncmp(entry->d_name, begin, strlen(begin)) != 0) continue;
        snprintf(path, sizeof path, "/dev/shm/%s/ring-0", entry->d_name);
        struct stat found;
        count += lstat(path, &found) == 0 && stat(path, &found) != 0; /* a link that leads nowhere */
    }
    if (folder) closedir(folder);
    return count;
}

int main(void) {
    char name[] = "/tmp/ayatori-job-XXXXXX"; /* of mode 0600 */
    const int file = mkstemp(name);
    CHECK(file >= 0 && dprintf(file, "%016llx%016llx\n", (unsigned long long)getpid(), 0x5eedULL) > 0);
    setenv("ACP_JOB_FILE", name, 1);
    setenv("ACP_PROCS", "2", 1);
    const int left_by_others = folders_left();
    pid_t children[2];
    for (int rank = 0; rank < 2; ++rank) {
        setenv("ACP_RANK", rank == 0 ? "0" : "1", 1);
        children[rank] = fork();
        if (children[rank] == 0) work_and_exit();
    }
    for (int rank = 0; rank < 2; ++rank) {
        int status = 0;
        CHECK(waitpid(children[rank], &status, 0) == children[rank]);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    }
    CHECK(folders_left() <= left_by_others);
    unlink(name);
    return failures();
}
