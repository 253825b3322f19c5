/* What mpi.c measures: the patterns of messages, copies and reductions, each done once by both ranks together, or many
 * times in a row. mpi.c says what each of them is. */
#ifndef AYATORI_CALIBRATE_PATTERNS_H
#define AYATORI_CALIBRATE_PATTERNS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "pace_of_cores.h" /* src/mpi/execute; installed into the same folder */

enum { burst_length = 32, long_burst_length = 4, chain_length = 4, several_length = 4, times_of_a_sample = 3, places = 4 };
enum { largest_of_several = 1 << 18, max_sizes = 128, max_rounds = 1000 };
enum pattern { one_way, exchange, chain, several, combine, add, send_alone, receive_alone, burst, copy, reduce, patterns };

static int rank;
static long eager_limit;
static int share_a_node, share_a_clock, share_a_core, ping_pong;
static char *out, *in, *own, *local_out, *local_in;
static double timer_seconds;
static double deadline; /* by kernel_time(); what rank 0 says of it counts */

static int compare(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double quantile(double* values, int count, double share) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[(int)(share * (count - 1) + 0.5)];
}

static void send(const char* buffer, int bytes) {
    MPI_Request request;
    MPI_Isend(buffer, bytes, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receive(int bytes) {
    MPI_Request request;
    MPI_Irecv(in, bytes, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void exchange_once(int bytes) {
    MPI_Request requests[2];
    MPI_Irecv(in, bytes, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 2; ++i) {
        int which;
        MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
    }
}

/* Of all messages at once, and each in a place of its own. */
static void exchange_several(int bytes) {
    MPI_Request requests[2 * several_length];
    for (int i = 0; i < several_length; ++i)
        MPI_Irecv(local_in + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < several_length; ++i)
        MPI_Isend(local_out + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, !rank, 0, MPI_COMM_WORLD,
                  &requests[several_length + i]);
    for (int i = 0; i < 2 * several_length; ++i) {
        int which;
        MPI_Waitany(2 * several_length, requests, &which, MPI_STATUS_IGNORE);
    }
}

/* What is sent next was received last: it lies in this rank's cache, and not in the other's, as it does of data that
 * were computed. */
static void swap_buffers(void) {
    char* const sent = out;
    out = in;
    in = sent;
}

static void reduce_into(char* to, const char* from, int bytes) {
    if (bytes % 8 == 0)
        MPI_Reduce_local(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM);
    else
        MPI_Reduce_local(from, to, bytes, MPI_UNSIGNED_CHAR, MPI_SUM);
}

static void spin(double seconds) {
    const double until = MPI_Wtime() + seconds;
    while (MPI_Wtime() < until)
        if (share_a_core) sched_yield();
}

static double kernel_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* `epoch`: seconds of the epoch. */
static void end_at(double epoch) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    deadline = kernel_time() + epoch - ((double)time.tv_sec + (double)time.tv_nsec * 1e-9);
}

/* What rank 0 says. */
static int all_say(int yes) {
    MPI_Bcast(&yes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return yes;
}

static int ranks_here(void) {
    int ranks = 0;
    MPI_Comm here;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &ranks);
    MPI_Comm_free(&here);
    return ranks;
}

/* Whether one kernel runs both ranks, on one host or in namespaces. */
static int find_out_whether_a_clock_is_shared(void) {
    char boot[2][40] = {{0}};
    FILE* const file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (file != NULL) {
        if (fgets(boot[0], sizeof boot[0], file) == NULL) boot[0][0] = '\0';
        fclose(file);
    }
    MPI_Sendrecv(boot[0], sizeof boot[0], MPI_CHAR, !rank, 0, boot[1], sizeof boot[1], MPI_CHAR, !rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return boot[0][0] != '\0' && memcmp(boot[0], boot[1], sizeof boot[0]) == 0;
}

/* How often another process has taken this one's core. */
static long interruptions(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

/* Returns when all ranks go on, by the clock that they share. Those that share cores give them to each other meanwhile;
 * they don't sleep, since cores that have idled are slow at first. */
static double begin_by_the_clock(int share_cores) {
    const double before = kernel_time();
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = kernel_time() + smaller(larger(20e-6, 4 * (kernel_time() - before)), 10e-3);
    MPI_Allreduce(MPI_IN_PLACE, &begin, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    while (kernel_time() < begin)
        if (share_cores) sched_yield();
    return begin;
}

/* Returns when both ranks go on, of which one may have been late. Between nodes the network has been idle before, so
 * that a token bucket which limits a NIC has filled. */
static double begin_together(void) {
    const double idle_seconds = 1e-3;
    if (!share_a_node) spin(idle_seconds);
    if (share_a_clock) return begin_by_the_clock(share_a_core);
    MPI_Barrier(MPI_COMM_WORLD);
    return kernel_time();
}

static void do_once(enum pattern pattern, int bytes) {
    switch (pattern) {
        case one_way:
            if (rank == 0) send(out, bytes);
            if (rank == 1 || !share_a_clock) receive(bytes);
            if (rank == 1 && !share_a_clock) send(out, bytes);
            return;
        case chain:
            for (int i = 0; i < chain_length; ++i) {
                exchange_once(bytes);
                swap_buffers();
            }
            return;
        case several: exchange_several(bytes); return;
        default:
            exchange_once(bytes);
            if (pattern == combine) reduce_into(out, in, bytes);
            if (pattern == add) reduce_into(own, in, bytes);
            return;
    }
}

/* Until the slower rank has done it: the median of some times, or one where it takes long. `was_interrupted`: either was,
 * each time. */
static double time_together(enum pattern pattern, int bytes, int* was_interrupted) {
    const double long_seconds = 1e-3;
    double counted_times[times_of_a_sample];
    int counted = 0;
    for (int i = 0; i < times_of_a_sample; ++i) {
        memset(in, i, (size_t)bytes);
        memset(own, i + 1, (size_t)bytes);
        memset(out, i + 2, (size_t)bytes);
        if (pattern == several) {
            memset(local_in, i, several_length * (size_t)bytes);
            memset(local_out, i + 2, several_length * (size_t)bytes);
        }
        const long before = interruptions();
        const double begin = begin_together();
        do_once(pattern, bytes);
        double last[2] = {kernel_time() - begin, interruptions() != before};
        MPI_Allreduce(MPI_IN_PLACE, last, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (last[1] == 0 || (i + 1 == times_of_a_sample && counted == 0)) counted_times[counted++] = last[0];
        *was_interrupted = last[1] != 0 && counted == 1 && i + 1 == times_of_a_sample;
        if (counted > 0 && last[0] > long_seconds) break;
    }
    const double seconds = quantile(counted_times, counted, 0.5);
    if (pattern == one_way && !share_a_clock) return seconds / 2;
    if (pattern == several) return seconds / several_length;
    return pattern == chain ? seconds / chain_length : seconds;
}

/* What a message of one byte takes between two machines, at best: some of the round trips are disturbed. */
static double pace_of_messages(void) {
    enum { tries = 5, round_trips = 4 };
    double best = 1;
    for (int i = 0; i < tries; ++i) {
        exchange_once(1);
        const double start = kernel_time();
        for (int k = 0; k < round_trips; ++k) {
            if (rank == 0) send(out, 1);
            receive(1);
            if (rank == 1) send(out, 1);
        }
        best = smaller(best, (kernel_time() - start) / round_trips / 2);
    }
    return best;
}

static double pace(void) { return share_a_node ? pace_of_cores() : pace_of_messages(); }

/* The receiver answers, so that messages don't pile up. */
static double time_send(int bytes, int repeats) {
    double sum = 0;
    for (int i = 0; i < repeats; ++i) {
        if (rank == 0) {
            const double start = MPI_Wtime();
            send(out, bytes);
            sum += MPI_Wtime() - start - timer_seconds;
            receive(1);
        } else {
            receive(bytes);
            send(out, 1);
        }
    }
    return sum > 0 ? sum / repeats : 0;
}

static double time_receive(int bytes, int repeats, double until_arrived) {
    double sum = 0;
    for (int i = 0; i < repeats; ++i) {
        if (rank == 0) {
            send(out, 1);
            spin(until_arrived);
            const double start = MPI_Wtime();
            receive(bytes);
            sum += MPI_Wtime() - start - timer_seconds;
        } else {
            receive(1);
            send(out, bytes);
        }
    }
    return sum > 0 ? sum / repeats : 0;
}

static double time_burst(int bytes, int repeats) {
    const int length = bytes <= eager_limit ? burst_length : long_burst_length;
    exchange_once(1);
    const double start = MPI_Wtime();
    for (int i = 0; i < repeats; ++i) {
        for (int message = 0; message < length; ++message) {
            if (rank == 0)
                send(out, bytes);
            else
                receive(bytes);
        }
        if (rank == 0)
            receive(1);
        else
            send(out, 1);
    }
    return (MPI_Wtime() - start) / repeats / length;
}

/* In one of several places, cyclically: what a collective copies and reduces is part of more memory, and seldom in the
 * cache that is nearest. */
static void do_local(enum pattern pattern, int bytes, int call) {
    const size_t place = (size_t)(call % places) * ((size_t)bytes + 8) & ~(size_t)7;
    if (pattern == copy)
        memcpy(local_out + place, local_in + place, (size_t)bytes);
    else
        reduce_into(local_out + place, local_in + place, bytes);
}

static double time_local(enum pattern pattern, int bytes, int repeats) {
    for (int i = 0; i < places; ++i) do_local(pattern, bytes, i);
    const double start = MPI_Wtime();
    for (int i = 0; i < repeats; ++i) do_local(pattern, bytes, i);
    return (MPI_Wtime() - start - timer_seconds) / repeats;
}

static double time_in_a_row(enum pattern pattern, int bytes, int repeats, double one_way_seconds) {
    switch (pattern) {
        case send_alone: return bytes <= eager_limit ? time_send(bytes, repeats) : 0;
        case receive_alone:
            return bytes <= eager_limit ? time_receive(bytes, repeats, 3 * one_way_seconds + 3e-6) : 0;
        case burst: return time_burst(bytes, (repeats + 15) / 16);
        default: return time_local(pattern, bytes, repeats);
    }
}

#endif
