#pragma once
/* What messages take where ranks share cores: printed for `calibrate --oversubscribed`.
 *
 *     shift   each rank sends to another one and waits for a third one, step after step: all have messages all the time
 *     token   a message goes from rank to rank, while all others wait
 *
 * Between the two lies the cost of a message, because the others poll for theirs, and because they have their own. */

#include "calibrate_patterns.h"

/* In each step a rank sends so many bytes to another one, as Ayatori's engine does, and waits for those of a third one:
 * the steps of an all-to-all, in each of which it has other data and other partners. */
static void steps_of_shift(int steps, int bytes) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int step = 0; step < steps; ++step) {
        const size_t place = (size_t)(step % places) * (size_t)bytes;
        const int distance = 1 + step % (ranks - 1), to = (rank + distance) % ranks;
        const int from = (rank + ranks - distance) % ranks;
        MPI_Request requests[2];
        int done = 0;
        MPI_Irecv(local_in + place, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(local_out + place, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD, &requests[1]);
        for (int i = 0; i < 2; ++i) MPI_Waitany(2, requests, &done, MPI_STATUS_IGNORE);
    }
}

/* A message goes from rank to rank, so many times around: all others wait for it. */
static void laps_of_token(int laps, int bytes) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    for (int lap = 0; lap < laps; ++lap) {
        if (rank == 0) MPI_Send(local_out, bytes, MPI_BYTE, next, 0, MPI_COMM_WORLD);
        MPI_Recv(local_in, bytes, MPI_BYTE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank != 0) MPI_Send(local_out, bytes, MPI_BYTE, next, 0, MPI_COMM_WORLD);
    }
}

/* Of data that were just written, until the slowest rank is done, where all should begin at the same time. Ranks that
 * share a core can't: the one that has it polls for its messages for a while before it yields. */
static double time_from_common_start(void (*execution)(int count, int bytes), int count, int bytes) {
    memset(local_in, 1, (size_t)places * (size_t)bytes);
    memset(local_out, 2, (size_t)places * (size_t)bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = begin_by_the_clock(1);
    execution(count, bytes);
    double seconds = kernel_time() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

enum { steps_of_several = 3 };
enum of_first_size { one_step, one_lap, two_laps, of_first_size_count };

/* By round: seconds of several steps, by size; and what is measured of the first size only. */
static double several_steps[max_sizes][max_rounds];
static double of_first_size[of_first_size_count][max_rounds];

/* Returns of how many sizes there is a time of this round, and of the first one all: the deadline may be before. */
static int measure_round(int round, int count, const int* sizes) {
    of_first_size[one_step][round] = time_from_common_start(steps_of_shift, 1, sizes[0]);
    of_first_size[one_lap][round] = time_from_common_start(laps_of_token, 1, sizes[0]);
    of_first_size[two_laps][round] = time_from_common_start(laps_of_token, 2, sizes[0]);
    int measured = 0;
    for (; measured < count && (measured == 0 || all_say(kernel_time() < deadline)); ++measured)
        several_steps[measured][round] = time_from_common_start(steps_of_shift, steps_of_several, sizes[measured]);
    return measured;
}

/* Medians over rounds, for SECONDS in all. Rounds that do not begin and end at this pace do not count; where it does not
 * come back for ten times as long, or for half of the time until the deadline, all later ones do. A round that the
 * deadline cuts short counts for the sizes that it has. MPIs that wait without giving their core to others take
 * milliseconds. */
static void print_oversubscribed_times(double pace, double seconds, int count, const int* sizes) {
    enum { least_rounds = 3, microseconds_of_a_wait = 30000 };
    const double longest_wait = smaller(10 * seconds, (deadline - kernel_time()) / 2);
    int taken = 0, ranks = 0, at_another_pace = 0, rounds_of_size[max_sizes] = {0};
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double until = MPI_Wtime() + seconds, waits_since = MPI_Wtime();
    while (all_say(taken < max_rounds && (taken == 0 || kernel_time() < deadline) &&
                   (taken < least_rounds || MPI_Wtime() < until))) {
        const int waits = all_say(MPI_Wtime() < waits_since + longest_wait);
        const int has_pace = cores_have_pace(pace);
        if (waits && !has_pace) {
            usleep(microseconds_of_a_wait);
            until += microseconds_of_a_wait * 1e-6;
            continue;
        }
        const int measured = measure_round(taken, count, sizes);
        const int kept_pace = cores_have_pace(pace);
        if (waits && measured == count && !kept_pace) continue;
        for (int i = 0; i < measured; ++i) rounds_of_size[i] = taken + 1;
        if (waits) waits_since = MPI_Wtime();
        at_another_pace |= !has_pace || !kept_pace;
        ++taken;
    }
    if (rank != 0) return;
    printf("{\"ranks\": %d, \"steps\": %d, \"one_step\": %.4g, \"one_lap\": %.4g, \"two_laps\": %.4g, "
           "\"at_another_pace\": %s}\n",
           ranks, steps_of_several, quantile(of_first_size[one_step], taken, 0.5),
           quantile(of_first_size[one_lap], taken, 0.5), quantile(of_first_size[two_laps], taken, 0.5),
           at_another_pace ? "true" : "false");
    for (int i = 0; i < count && rounds_of_size[i] > 0; ++i)
        printf("{\"bytes\": %d, \"seconds\": %.4g}\n", sizes[i], quantile(several_steps[i], rounds_of_size[i], 0.5));
}

