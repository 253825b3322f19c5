/* Ping-pong of 64 bytes between two ranks; prints the median round trip in microseconds. Several round trips are timed
   at once, since reading the clock takes a good part of one. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int by_value(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

int main(int argc, char** argv) {
    enum { together = 10, count = 5000, warm = 100 };
    static double times[count];
    char ball[64] = {0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = -warm; i < count; ++i) {
        double start = MPI_Wtime();
        for (int n = 0; n < together; ++n) {
            if (rank == 0) MPI_Send(ball, 64, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(ball, 64, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == 1) MPI_Send(ball, 64, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        }
        if (i >= 0) times[i] = (MPI_Wtime() - start) / together;
    }
    qsort(times, count, sizeof *times, by_value);
    if (rank == 0) printf("%.3f\n", times[count / 2] * 1e6);
    MPI_Finalize();
    return 0;
}
