/* What messages between two ranks cost, and copies and reductions in one: `ayatori calibrate` compiles this with the
 * MPI's own compiler and runs it on two ranks (python/ayatori/calibration).
 *
 *     calibrate SECONDS SIZE…
 *
 * Measures these sizes in bytes, the eager limit and one byte more. Rounds of all patterns and sizes are repeated for
 * SECONDS, so that other load of the machine meets all of them alike; what a rank measured while another process took
 * its core does not count, unless too little is left.
 * Prints one JSON object a line: the MPI and the hosts; the eager limit; for each pattern and size the median over the
 * rounds in seconds, and the quantiles at a tenth and at three quarters.
 *
 *     one_way    half of a round trip: Isend and Wait, Irecv and Wait
 *     exchange   both ranks Irecv, Isend, Waitall
 *     send       Isend and Wait of a message that does not wait for its receive
 *     receive    Irecv and Wait of a message that has arrived already
 *     burst      a message of many that are sent one after the other
 *     waits      an exchange whose messages are waited for one by one, as Ayatori's engine does
 *     combine    an exchange, and the sum of both vectors: a step of recursive doubling
 *     copy       memcpy
 *     reduce     MPI_Reduce_local, a sum of doubles (of bytes where the size is no multiple of 8)
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { max_sizes = 128, max_rounds = 1000, min_rounds = 9, min_counted = 5, max_repeats = 64, burst_length = 32, patterns = 9, local_places = 4 };
enum pattern { one_way, exchange, waits, send_alone, receive_alone, burst, combine, copy, reduce };

static const char* const pattern_names[patterns] = {"one_way", "exchange", "waits", "send", "receive",
                                                    "burst",   "combine",  "copy",  "reduce"};

static int rank;
static long eager_limit;
static char *out, *in, *local_out, *local_in;
static double timer_seconds;
static double samples[patterns][max_sizes][max_rounds];
static unsigned char interrupted[max_rounds][patterns][max_sizes];

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
    MPI_Status statuses[2];
    MPI_Irecv(in, bytes, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
}

static void exchange_and_wait_one_by_one(int bytes) {
    MPI_Request requests[2];
    MPI_Irecv(in, bytes, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, !rank, 0, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 2; ++i) {
        int which;
        MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
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
    while (MPI_Wtime() < until) {
    }
}

/* Both ranks begin together: an exchange waits for the one that is late. The buffers have been used before, or the
 * pattern that comes first of a size would be the slowest. */
static void begin_warm(int bytes) {
    exchange_once(bytes);
    exchange_once(1);
}

static double time_one_way(int bytes, int repeats) {
    begin_warm(bytes);
    const double start = MPI_Wtime();
    for (int i = 0; i < repeats; ++i) {
        if (rank == 0) send(in, bytes);
        receive(bytes);
        if (rank == 1) send(in, bytes);
    }
    return (MPI_Wtime() - start) / repeats / 2;
}

static double time_waits(int bytes, int repeats) {
    begin_warm(bytes);
    const double start = MPI_Wtime();
    for (int i = 0; i < repeats; ++i) {
        exchange_and_wait_one_by_one(bytes);
        swap_buffers();
    }
    return (MPI_Wtime() - start) / repeats;
}

static double time_exchange(int bytes, int repeats, int reduces) {
    begin_warm(bytes);
    const double start = MPI_Wtime();
    for (int i = 0; i < repeats; ++i) {
        exchange_once(bytes);
        if (reduces)
            reduce_into(out, in, bytes);
        else
            swap_buffers();
    }
    return (MPI_Wtime() - start) / repeats;
}

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
    exchange_once(1);
    const double start = MPI_Wtime();
    for (int i = 0; i < repeats; ++i) {
        for (int message = 0; message < burst_length; ++message) {
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
    return (MPI_Wtime() - start) / repeats / burst_length;
}

/* In one of several places in turn: what a collective copies and reduces is part of more memory, and seldom in the
 * cache that is nearest. */
static void do_local(enum pattern pattern, int bytes, int turn) {
    const size_t place = (size_t)(turn % local_places) * ((size_t)bytes + 8) & ~(size_t)7;
    if (pattern == copy)
        memcpy(local_out + place, local_in + place, (size_t)bytes);
    else
        reduce_into(local_out + place, local_in + place, bytes);
}

static double time_local(enum pattern pattern, int bytes, int repeats) {
    for (int i = 0; i < local_places; ++i) do_local(pattern, bytes, i);
    const double start = MPI_Wtime();
    for (int i = 0; i < repeats; ++i) do_local(pattern, bytes, i);
    return (MPI_Wtime() - start - timer_seconds) / repeats;
}

static double time_pattern(enum pattern pattern, int bytes, int repeats, double one_way_seconds) {
    switch (pattern) {
        case one_way: return time_one_way(bytes, repeats);
        case exchange: return time_exchange(bytes, repeats, 0);
        case waits: return time_waits(bytes, repeats);
        case combine: return time_exchange(bytes, repeats, 1);
        case send_alone: return bytes <= eager_limit ? time_send(bytes, repeats) : 0;
        case receive_alone:
            return bytes <= eager_limit ? time_receive(bytes, repeats, 3 * one_way_seconds + 3e-6) : 0;
        case burst: return bytes <= eager_limit ? time_burst(bytes, (repeats + 15) / 16) : 0;
        default: return time_local(pattern, bytes, repeats);
    }
}

/* Whether the send of a message is over before its receive is posted: twice of three times. */
static int is_eager(int bytes) {
    int eager = 0;
    for (int attempt = 0; attempt < 3; ++attempt) {
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
    }
    MPI_Bcast(&eager, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return eager >= 2;
}

/* The largest size up to `max` whose message does not wait for its receive. */
static long find_eager_limit(long max) {
    long below = 0, above = max + 1;
    while (above - below > 1) {
        const long middle = below + (above - below) / 2;
        if (is_eager((int)middle))
            below = middle;
        else
            above = middle;
    }
    return below;
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

/* How often another process has taken this one's core. */
static long interruptions(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

static void run_round(int round, int count, const int* sizes, const int* repeats, const double* expected) {
    memset(interrupted[round], 0, sizeof interrupted[round]);
    for (int i = 0; i < count; ++i) {
        for (int pattern = 0; pattern < patterns; ++pattern) {
            const long before = interruptions();
            samples[pattern][i][round] = time_pattern((enum pattern)pattern, sizes[i], repeats[i], expected[i]);
            interrupted[round][pattern][i] = interruptions() != before;
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, interrupted[round], sizeof interrupted[round], MPI_UNSIGNED_CHAR, MPI_MAX,
                  MPI_COMM_WORLD);
}

static int run_rounds(double seconds, int count, const int* sizes) {
    double expected[max_sizes];
    int repeats[max_sizes];
    for (int i = 0; i < count; ++i) {
        time_one_way(sizes[i], 3);
        double tries[9];
        for (int k = 0; k < 9; ++k) tries[k] = time_one_way(sizes[i], 3);
        expected[i] = quantile(tries, 9, 0);
        repeats[i] = repeats_for(expected[i]);
    }
    const double until = MPI_Wtime() + seconds;
    int go_on = 1, round = 0;
    for (; go_on && round < max_rounds; ++round) {
        run_round(round, count, sizes, repeats, expected);
        go_on = round + 1 < min_rounds || MPI_Wtime() < until;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    return round;
}

static void print_head(int rounds) {
    char library[MPI_MAX_LIBRARY_VERSION_STRING], hosts[2][MPI_MAX_PROCESSOR_NAME] = {{0}};
    int length = 0, ranks_here = 0;
    MPI_Comm here;
    MPI_Get_processor_name(hosts[0], &length);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &ranks_here);
    MPI_Comm_free(&here);
    if (rank == 1)
        MPI_Send(hosts[0], MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
    else
        MPI_Recv(hosts[1], MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Get_library_version(library, &length);
    for (char* c = library; *c; ++c) {
        if (*c == '\n' || *c == ',' || *c == '"' || *c == '\\') *c = '\0';
        if (*c == '\t') *c = ' ';
    }
    if (rank == 0)
        printf("{\"mpi\": \"%s\", \"hosts\": [\"%s\", \"%s\"], \"same_node\": %s, \"rounds\": %d, \"eager_limit\": %ld}\n",
               library, hosts[0], hosts[1], ranks_here == 2 ? "true" : "false", rounds, eager_limit);
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

static void print_samples(int rounds, int count, const int* sizes) {
    for (int pattern = 0; pattern < patterns; ++pattern) {
        for (int i = 0; i < count; ++i) {
            double* values = samples[pattern][i];
            const int counted = counted_samples(pattern, i, rounds);
            const int measured = sizes[i] <= eager_limit ||
                                 !(pattern == send_alone || pattern == receive_alone || pattern == burst);
            if (!measured) continue;
            printf("{\"pattern\": \"%s\", \"bytes\": %d, \"median\": %.4g, \"tenth\": %.4g, \"three_quarters\": %.4g}\n",
                   pattern_names[pattern], sizes[i], quantile(values, counted, 0.5), quantile(values, counted, 0.1),
                   quantile(values, counted, 0.75));
        }
    }
}

int main(int argc, char** argv) {
    int sizes[max_sizes], count = 0, ranks = 0, largest = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2 || argc < 3 || argc - 2 > max_sizes) {
        if (rank == 0) fputs("usage: calibrate SECONDS SIZE…, on two ranks\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 2; i < argc; ++i) {
        sizes[count++] = atoi(argv[i]);
        if (sizes[count - 1] < 1) MPI_Abort(MPI_COMM_WORLD, 2);
        if (sizes[count - 1] > largest) largest = sizes[count - 1];
    }
    out = calloc((size_t)largest + 8, 1);
    in = calloc((size_t)largest + 8, 1);
    local_out = calloc((size_t)local_places * ((size_t)largest + 8), 1);
    local_in = calloc((size_t)local_places * ((size_t)largest + 8), 1);
    timer_seconds = time_of_timer();
    eager_limit = find_eager_limit(largest);
    for (long size = eager_limit; size <= eager_limit + 1; ++size) {
        if (size > 0 && size <= largest && count < max_sizes) sizes[count++] = (int)size;
    }
    const int rounds = run_rounds(atof(argv[1]), count, sizes);
    print_head(rounds);
    if (rank == 0) print_samples(rounds, count, sizes);
    MPI_Finalize();
    return 0;
}
