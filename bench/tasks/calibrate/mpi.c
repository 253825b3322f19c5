/* What messages between two ranks cost, and copies and reductions in one: `ayatori calibrate` compiles this with the
 * MPI's own compiler and runs it on two ranks (python/ayatori/calibration).
 *
 *     calibrate [--ping-pong] SECONDS UNTIL SIZE…
 *     calibrate --oversubscribed PACE SECONDS UNTIL SIZE…, on more ranks than there are cores
 *
 * With --oversubscribed it prints what messages take where ranks share cores (calibrate_oversubscribed.h), while the
 * cores have the PACE that the first form printed.
 *
 * With --ping-pong `ayatori bench pingpong` measures by it: messages only, one way, alone and many in a row.
 *
 * Measures these sizes in bytes, the eager limit and one byte more, and the sizes around which the time of an exchange
 * jumps, since MPIs have other ways for larger messages. Rounds of all patterns and sizes are repeated for
 * SECONDS, and until there are some, so that other load of the machine meets all of them alike. At UNTIL, in seconds of
 * the epoch, it ends with what it has, and says which sizes it did not reach. What a rank measured while another process took
 * its core does not count, unless too little is left; nor what was measured at another pace than most (pace_of_cores.h;
 * between machines, what a message of one byte takes), which is measured before and after all patterns of a size.
 * Prints one JSON object a line: the MPI and the hosts; the eager limit; the pace in seconds, and the share of the times
 * that were of another one; for each pattern and size the median over the rounds in seconds, and the quantiles at a tenth
 * and at three quarters; and that this was the end.
 *
 * These are done once, of data that the sender has just written, as the steps of a collective are. Both ranks begin at
 * the same time by the kernel's clock, or after a barrier where two kernels run them. Until the slower rank has done it:
 *
 *     one_way    Isend and Wait, Irecv and Wait; with two kernels half of a round trip
 *     exchange   both ranks Irecv, Isend, and wait for one after the other, as Ayatori's engine does
 *     chain      one of several exchanges, one after the other; what one receives is what the next one sends
 *     several    one of several exchanges that are begun at once, of up to 256 KiB
 *     combine    an exchange, and what came is added to what was sent: a step of recursive doubling
 *     add        an exchange, and what came is added to other data of the rank
 *
 * And these many times in a row:
 *
 *     send       Isend and Wait of a message that does not wait for its receive
 *     receive    Irecv and Wait of a message that has arrived already
 *     burst      a message of many that are sent one after the other
 *     copy       memcpy
 *     reduce     MPI_Reduce_local, a sum of doubles (of bytes where the size is no multiple of 8)
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate_patterns.h"
#include "calibrate_oversubscribed.h"
#include "leave_mpi.h" /* bench/harness, installed next to it */

enum { min_rounds = 9, min_counted = 5, max_repeats = 64 };
enum { share_for_jumps = 4 }; /* of the time until the deadline: to look for sizes */

static const char* const pattern_names[patterns] = {"one_way", "exchange", "chain", "several", "combine", "add",
                                                    "send",    "receive",  "burst", "copy",    "reduce"};

static double samples[patterns][max_sizes][max_rounds];
static unsigned char interrupted[max_rounds][patterns][max_sizes];
static double paces[max_rounds][max_sizes + 1];
static int rounds_of[max_sizes]; /* in which all patterns of a size were measured */

/* Whether the send of a message is over before its receive is posted: once of some times, as the other rank's core may
 * be taken, and no send that waits for its receive is ever over. */
static int is_eager(int bytes) {
    int eager = 0;
    for (int attempt = 0; attempt < 4 && !eager; ++attempt) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            MPI_Request request;
            int done = 0;
            MPI_Isend(out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
            const double until = MPI_Wtime() + 4e-3;
            do {
                MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            } while (!done && MPI_Wtime() < until);
            eager += done;
            send(out, 1);
            if (!done) MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            /* A receive that is not for that message: it makes progress, but does not match. */
            receive(1);
            MPI_Recv(in, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        eager = all_say(eager);
    }
    return eager;
}

/* The largest size up to `max` whose message does not wait for its receive. From below: larger messages may take long. */
static long find_eager_limit(long max) {
    long below = 0, above = 1;
    for (; above <= max && is_eager((int)above); above *= 2) below = above;
    if (above > max + 1) above = max + 1;
    while (above - below > 1) {
        const long middle = below + (above - below) / 2;
        if (is_eager((int)middle))
            below = middle;
        else
            above = middle;
    }
    return below;
}

/* What an exchange takes if nothing disturbs it. */
static double least_time_of_exchange(int bytes) {
    enum { tries = 5 };
    double least = 1;
    for (int i = 0; i < tries; ++i) {
        int was_interrupted = 0;
        least = smaller(least, time_together(exchange, bytes, &was_interrupted));
    }
    return least;
}

static int add_size(int size, int count, int* sizes) {
    for (int i = 0; i < count; ++i)
        if (sizes[i] == size) return count;
    if (count < max_sizes) sizes[count++] = size;
    return count;
}

/* Both ranks know the same times. Adds the two sizes between which the time jumps, if it does between these. */
static int add_sizes_of_jump(int below, int above, int count, int* sizes) {
    const double is_jump = 1.3;
    enum { close = 8 };
    double time_below = least_time_of_exchange(below), time_above = least_time_of_exchange(above);
    if (time_above < is_jump * time_below) return count;
    while (above - below > close) {
        const int middle = below + (above - below) / 2;
        const double time = least_time_of_exchange(middle);
        if (time * time < time_below * time_above) {
            below = middle;
            time_below = time;
        } else {
            above = middle;
            time_above = time;
        }
    }
    if (time_above < is_jump * time_below) return count;
    count = add_size(below, count, sizes);
    return add_size(above, count, sizes);
}

static int add_sizes_of_jumps(int largest, int count, int* sizes) {
    enum { smallest = 32, largest_with_jumps = 1 << 16 };
    const double until = kernel_time() + (deadline - kernel_time()) / share_for_jumps;
    for (int size = smallest; 2 * size <= largest && size < largest_with_jumps; size *= 2) {
        if (all_say(kernel_time() > until)) break;
        if (size <= eager_limit && 2 * size > eager_limit) continue;
        count = add_sizes_of_jump(size, 2 * size, count, sizes);
    }
    return count;
}

static double time_of_timer(void) {
    double values[101];
    for (int i = 0; i < 101; ++i) {
        const double start = MPI_Wtime();
        values[i] = MPI_Wtime() - start;
    }
    return quantile(values, 101, 0.5);
}

/* As many as take some 20 us together: the clock's resolution does not matter, and few samples meet other processes. */
static int repeats_for(double seconds) {
    int repeats = seconds > 0 ? (int)(20e-6 / seconds) : max_repeats;
    repeats = repeats < 1 ? 1 : repeats > max_repeats ? max_repeats : repeats;
    MPI_Bcast(&repeats, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return repeats;
}

/* Of a ping-pong only what takes one message. */
static int is_measured(int pattern, int bytes) {
    const int of_one_message = pattern == one_way || pattern == send_alone || pattern == receive_alone || pattern == burst;
    if (ping_pong && !of_one_message) return 0;
    if (pattern == several && bytes > largest_of_several) return 0;
    const int of_any_size = pattern < send_alone || pattern > burst || (ping_pong && pattern == burst);
    return bytes <= eager_limit || of_any_size;
}

/* Returns whether the time lasted for all patterns of the size. */
static int measure_size(int round, int i, int bytes, int repeats, double expected) {
    for (int pattern = 0; pattern < patterns; ++pattern) {
        if (!is_measured(pattern, bytes)) continue;
        if (all_say(kernel_time() > deadline)) return 0;
        const long before = interruptions();
        int was_interrupted = 0;
        if (pattern < send_alone) {
            samples[pattern][i][round] = time_together((enum pattern)pattern, bytes, &was_interrupted);
        } else {
            samples[pattern][i][round] = time_in_a_row((enum pattern)pattern, bytes, repeats, expected);
            was_interrupted = interruptions() != before;
        }
        interrupted[round][pattern][i] = (unsigned char)was_interrupted;
    }
    return 1;
}

static void run_round(int round, int count, const int* sizes, int* repeats, double* expected) {
    memset(interrupted[round], 0, sizeof interrupted[round]);
    paces[round][0] = pace();
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 4 && round == 0 && !all_say(kernel_time() > deadline); ++k) {
            int was_interrupted = 0;
            const double seconds = time_together(one_way, sizes[i], &was_interrupted);
            expected[i] = k == 0 ? seconds : smaller(expected[i], seconds);
        }
        if (round == 0) repeats[i] = repeats_for(expected[i]);
        if (!measure_size(round, i, sizes[i], repeats[i], expected[i])) break;
        rounds_of[i] = round + 1;
        paces[round][i + 1] = pace();
    }
    MPI_Allreduce(MPI_IN_PLACE, interrupted[round], sizeof interrupted[round], MPI_UNSIGNED_CHAR, MPI_MAX,
                  MPI_COMM_WORLD);
}

/* Returns the rounds that were begun. */
static int run_rounds(double seconds, int count, const int* sizes) {
    double expected[max_sizes] = {0};
    int repeats[max_sizes] = {0};
    const double until = kernel_time() + seconds;
    int go_on = 1, round = 0;
    for (; go_on && round < max_rounds; ++round) {
        run_round(round, count, sizes, repeats, expected);
        const double now = kernel_time();
        go_on = all_say(now < deadline && (now < until || round + 1 < min_rounds));
    }
    return round;
}

/* The times of a cache line or message (pace()) whose quantiles tell whether there are two kinds. */
struct paces {
    double low, middle, high;
};

/* None is known, 0, while both ranks are on one core: such ones do not count. */
static struct paces quantiles_of_paces(int rounds, int count) {
    static double known[max_rounds * (max_sizes + 1)];
    int taken = 0;
    for (int round = 0; round < rounds; ++round)
        for (int i = 0; i <= count; ++i)
            if (paces[round][i] > 0) known[taken++] = paces[round][i];
    if (taken == 0) return (struct paces){0, 0, 0};
    return (struct paces){quantile(known, taken, 0.1), quantile(known, taken, 0.5), quantile(known, taken, 0.9)};
}

static int is_like_most(double one, struct paces of_all) {
    const double border = of_all.low * of_all.high, most = of_all.middle * of_all.middle;
    return one > 0 && (one * one < border) == (most < border);
}

/* Leaves out what was measured at another pace than most, and says what share that is. The paces are of two kinds if a
 * tenth and nine tenths of them are far apart. */
static double choose_pace(int rounds, int count, double* chosen) {
    const double far_apart = 1.7;
    const struct paces of_all = quantiles_of_paces(rounds, count);
    *chosen = of_all.middle;
    if (of_all.high <= far_apart * of_all.low) return 0;
    int others = 0;
    for (int round = 0; round < rounds; ++round) {
        for (int i = 0; i < count; ++i) {
            if (round >= rounds_of[i]) continue;
            if (is_like_most(paces[round][i], of_all) && is_like_most(paces[round][i + 1], of_all)) continue;
            ++others;
            for (int pattern = 0; pattern < patterns; ++pattern) interrupted[round][pattern][i] = 1;
        }
    }
    return (double)others / (rounds * count);
}

static void print_unreached(int count, const int* sizes) {
    const char* separator = "";
    printf("\"unreached\": [");
    for (int i = 0; i < count; ++i) {
        if (rounds_of[i] > 0) continue;
        printf("%s%d", separator, sizes[i]);
        separator = ", ";
    }
    printf("]}\n");
}

static void print_head(int rounds, double chosen_pace, double elsewhere, int count, const int* sizes) {
    char library[MPI_MAX_LIBRARY_VERSION_STRING], hosts[2][MPI_MAX_PROCESSOR_NAME] = {{0}};
    int length = 0;
    MPI_Get_processor_name(hosts[0], &length);
    if (rank == 1)
        MPI_Send(hosts[0], MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
    else
        MPI_Recv(hosts[1], MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Get_library_version(library, &length);
    for (char* c = library; *c; ++c) {
        if (*c == '\n' || *c == ',' || *c == '"' || *c == '\\') *c = '\0';
        if (*c == '\t') *c = ' ';
    }
    if (rank != 0) return;
    printf("{\"mpi\": \"%s\", \"hosts\": [\"%s\", \"%s\"], \"same_node\": %s, \"rounds\": %d, \"eager_limit\": %ld, "
           "\"pace\": %.4g, \"other_pace\": %.3f, ",
           library, hosts[0], hosts[1], share_a_node ? "true" : "false", rounds, eager_limit, chosen_pace, elsewhere);
    print_unreached(count, sizes);
}

/* Moves the samples of rounds without interruption to the front, and returns how many there are; or all, if these are
 * too few. */
static int counted_samples(int pattern, int size, int rounds) {
    double* values = samples[pattern][size];
    int counted = 0;
    for (int round = 0; round < rounds; ++round) {
        if (interrupted[round][pattern][size]) continue;
        const double value = values[round];
        values[round] = values[counted];
        values[counted++] = value;
    }
    return counted < min_counted ? rounds : counted;
}

static void print_samples(int count, const int* sizes) {
    for (int pattern = 0; pattern < patterns; ++pattern) {
        for (int i = 0; i < count; ++i) {
            double* values = samples[pattern][i];
            if (!is_measured(pattern, sizes[i]) || rounds_of[i] == 0) continue;
            const int counted = counted_samples(pattern, i, rounds_of[i]);
            printf("{\"pattern\": \"%s\", \"bytes\": %d, \"median\": %.4g, \"tenth\": %.4g, \"three_quarters\": %.4g}\n",
                   pattern_names[pattern], sizes[i], quantile(values, counted, 0.5), quantile(values, counted, 0.1),
                   quantile(values, counted, 0.75));
        }
    }
}

static int compare_sizes(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

static void make_buffers(int largest) {
    const size_t bytes = (size_t)largest + 8;
    out = calloc(bytes, 1);
    in = calloc(bytes, 1);
    own = calloc(bytes, 1);
    local_out = calloc(places * bytes, 1);
    local_in = calloc(places * bytes, 1);
}

int main(int argc, char** argv) {
    int sizes[max_sizes], count = 0, ranks = 0, largest = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int oversubscribed = argc > 2 && strcmp(argv[1], "--oversubscribed") == 0;
    ping_pong = argc > 1 && strcmp(argv[1], "--ping-pong") == 0;
    const double required_pace = oversubscribed ? atof(argv[2]) : 0;
    argc -= oversubscribed ? 2 : ping_pong;
    argv += oversubscribed ? 2 : ping_pong;
    if ((ranks != 2 && !oversubscribed) || ranks < 2 || argc < 4 || argc - 3 > max_sizes) {
        if (rank == 0)
            fputs("usage: calibrate [--ping-pong|--oversubscribed PACE] SECONDS UNTIL SIZE…, "
                  "on two ranks without --oversubscribed\n",
                  stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    end_at(atof(argv[2]));
    for (int i = 3; i < argc; ++i) {
        sizes[count++] = atoi(argv[i]);
        if (sizes[count - 1] < 1) MPI_Abort(MPI_COMM_WORLD, 2);
        if (sizes[count - 1] > largest) largest = sizes[count - 1];
    }
    make_buffers(largest);
    share_a_node = ranks_here() == ranks;
    if (oversubscribed) {
        print_oversubscribed_times(required_pace, atof(argv[1]), count, sizes);
        leave_mpi();
        return 0;
    }
    share_a_core = cores_of_ranks() < 2;
    share_a_clock = !ping_pong && find_out_whether_a_clock_is_shared();
    timer_seconds = time_of_timer();
    eager_limit = find_eager_limit(largest);
    for (long size = eager_limit; size <= eager_limit + 1; ++size) {
        if (size > 0 && size <= largest) count = add_size((int)size, count, sizes);
    }
    if (!ping_pong) count = add_sizes_of_jumps(largest, count, sizes);
    qsort(sizes, (size_t)count, sizeof *sizes, compare_sizes); /* the deadline leaves out the largest */
    const int rounds = run_rounds(atof(argv[1]), count, sizes);
    double chosen_pace = 0;
    const double elsewhere = choose_pace(rounds, count, &chosen_pace);
    print_head(rounds, chosen_pace, elsewhere, count, sizes);
    if (rank == 0) print_samples(count, sizes);
    if (rank == 0) puts("{\"end\": true}"); /* what the launcher says of how MPI has ended does not matter any more */
    leave_mpi_within(2);
    return 0;
}
