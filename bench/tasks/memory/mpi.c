/* Each rank sends 1 KiB to each other one; then the memory of a process is read from /proc/self/smaps_rollup, in bytes.
 * Prints one JSON line of means over the ranks: "own" is anonymous and shared memory, shared pages by their share
 * (Pss_Anon + Pss_Shmem); "private" is what would be free without the process; "rss" is all that the process sees,
 * libraries included. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { bytes = 1024 };

static double smaps_field(const char* field) {
    char line[256];
    double sum = 0;
    FILE* file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file)) {
        double kilobytes;
        if (strncmp(line, field, strlen(field)) == 0 && sscanf(strchr(line, ':') + 1, "%lf", &kilobytes) == 1)
            sum += kilobytes * 1024;
    }
    if (file) fclose(file);
    return sum;
}

int main(int argc, char** argv) {
    char out[bytes] = {0}, in[bytes];
    double mine[3], sum[3];
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(out, rank % 128, bytes);
    for (int shift = 1; shift < ranks; ++shift) {
        int to = (rank + shift) % ranks, from = (rank - shift + ranks) % ranks;
        MPI_Sendrecv(out, bytes, MPI_CHAR, to, 0, in, bytes, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (in[0] != from % 128 || in[bytes - 1] != from % 128) MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    mine[0] = smaps_field("Pss_Anon:") + smaps_field("Pss_Shmem:");
    mine[1] = smaps_field("Private_");
    mine[2] = smaps_field("Rss:");
    MPI_Reduce(mine, sum, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("{\"processes\": %d, \"own\": %.0f, \"private\": %.0f, \"rss\": %.0f}\n", ranks, sum[0] / ranks,
               sum[1] / ranks, sum[2] / ranks);
    MPI_Finalize();
    return 0;
}
