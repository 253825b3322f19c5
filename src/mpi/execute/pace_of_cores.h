#pragma once
/* How long a cache line takes from one core to another: the pace of everything that ranks of one machine send each
 * other. A hypervisor moves virtual processors, so that two of them share a physical core's caches for some minutes and
 * not in the next (40 and 180 ns were seen). What was measured at one pace says nothing of the other.
 *
 * For programs of C and C++ whose ranks are processes, on Linux. */

#ifndef _GNU_SOURCE
#error "define _GNU_SOURCE before the first #include, for sched_getcpu()"
#endif
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* How many cores the ranks may use together. */
static inline int cores_of_ranks(void) {
    cpu_set_t mine, all;
    CPU_ZERO(&mine);
    sched_getaffinity(0, sizeof mine, &mine);
    MPI_Allreduce(&mine, &all, (int)sizeof mine, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    return CPU_COUNT(&all);
}

/* A number in memory that all ranks share until they end; NULL if they are on several machines, or have but one core. */
static inline int* make_shared_number(void) {
    MPI_Comm node;
    MPI_Win window;
    MPI_Aint bytes = 0;
    int unit = 0, rank = 0, ranks = 0, here = 0, *own = NULL, *number = NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_size(node, &here);
    MPI_Comm_rank(node, &rank);
    MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    const int cores = cores_of_ranks();
    if (here < ranks || cores < 2) return NULL;
    MPI_Win_allocate_shared(rank == 0 ? sizeof *number : 0, 1, MPI_INFO_NULL, node, (void*)&own, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, (void*)&number);
    if (rank == 0) __atomic_store_n(number, 0, __ATOMIC_RELEASE);
    MPI_Barrier(node);
    return number;
}

/* The same number at each call. */
static inline int* shared_number(void) {
    static int* number = NULL;
    static int is_made = 0;
    if (!is_made) number = make_shared_number();
    is_made = 1;
    return number;
}

/* The first rank that is on another core than rank 0 now, or 0. They are not moved: the kernel would take long to
 * spread ranks that share cores over the cores again. */
static inline int rank_on_another_core(void) {
    int ranks = 0, found = 0, core = sched_getcpu();
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int* const cores = (int*)malloc((size_t)ranks * sizeof *cores);
    MPI_Allgather(&core, 1, MPI_INT, cores, 1, MPI_INT, MPI_COMM_WORLD);
    for (int other = 1; other < ranks && found == 0; ++other)
        if (cores[other] != cores[0]) found = other;
    free(cores);
    return found;
}

/* One of two ranks, which increment the number alternately from 0. Returns the seconds of an increment: the best of
 * some tries, since other processes may take a core. */
static inline double count_alternately(int* number, int mine) {
    enum { tries = 5, rounds = 40 };
    double best = 1;
    for (int i = 0, next = 0; i < tries; ++i) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        for (int k = 0; k < rounds; ++k) {
            ++next;
            if (next % 2 == mine) __atomic_store_n(number, next, __ATOMIC_RELEASE);
            while (__atomic_load_n(number, __ATOMIC_ACQUIRE) < next) {
            }
        }
        clock_gettime(CLOCK_MONOTONIC, &end);
        const double seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
        if (seconds < best) best = seconds;
    }
    return best / (double)rounds;
}

/* Seconds from a core to another one, on all ranks the same; 0 if there is no such time (shared_number()), or if all ranks
 * happen to be on one core now. Those who are not asked leave the cores to the others meanwhile. Collective over
 * MPI_COMM_WORLD. */
static inline double pace_of_cores(void) {
    enum { microseconds = 300 };
    int* const number = shared_number();
    int rank = 0;
    double seconds = 0;
    if (number == NULL) return 0;
    const int other = rank_on_another_core();
    if (other == 0) return 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) __atomic_store_n(number, 0, __ATOMIC_RELEASE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0 || rank == other)
        seconds = count_alternately(number, rank == 0);
    else
        usleep(microseconds);
    MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return seconds;
}

/* Whether they have about this pace now; any is right if it is 0, or where there can be none. All ranks say the same.
 * Collective over MPI_COMM_WORLD. */
static inline int cores_have_pace(double wanted) {
    const double about = 1.35;
    if (wanted == 0 || shared_number() == NULL) return 1;
    const double now = pace_of_cores();
    return now < wanted * about && wanted < now * about;
}
