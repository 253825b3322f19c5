/* For tests: a library that does, by name, what a user's library may do wrong. */
#include <string.h>

#include "ayatori_algorithm.h"

/* Of an allreduce among two ranks. */
static void exchange(struct ayatori_schedule *schedule, uint32_t slot)
{
    uint32_t rank;

    for (rank = 0; rank < 2; rank++) {
        ayatori_step(schedule, rank, 0);
        ayatori_send(schedule, 1 - rank, 0, 1);
        ayatori_receive(schedule, 1 - rank, slot, 1);
        ayatori_reduce(schedule, slot, 1, 0);
    }
}

static void write_forever(struct ayatori_schedule *schedule)
{
    while (ayatori_step(schedule, 0, 0) == 0) continue;
}

static void tell_everything(const struct ayatori_call *call, struct ayatori_schedule *schedule)
{
    if (call->version == 1 && call->ranks == 6 && call->machines == 3 && call->root == 2 && call->bytes == 100 &&
        call->chunk_bytes == 10 && call->machine[5] == 2 && call->group[2] == 0 && call->dimensions == 1 &&
        call->lengths[0] == 3 && call->periodic[0] == 1 && call->point[1] == 1 && call->pair_bytes == NULL)
        ayatori_refuse(schedule, "all is as it should be");
}

int ayatori_make_schedule(const struct ayatori_call *call, struct ayatori_schedule *schedule)
{
    const char *name = call->algorithm;

    if (strcmp(name, "right") == 0) return exchange(schedule, ayatori_scratch(schedule, 0)), 0;
    if (strcmp(name, "nothing") == 0) return 0;
    if (strcmp(name, "silent") == 0) return -1;
    if (strcmp(name, "control") == 0) return ayatori_refuse(schedule, "two\nlines\x1b[31m");
    if (strcmp(name, "null") == 0) return ayatori_refuse(schedule, NULL);
    if (strcmp(name, "no-scratch") == 0) return exchange(schedule, 1), 0;
    if (strcmp(name, "late-scratch") == 0) return exchange(schedule, 0), ayatori_scratch(schedule, 0), 0;
    if (strcmp(name, "no-step") == 0) return ayatori_send(schedule, 1, 0, 1), 0;
    if (strcmp(name, "many-streams") == 0) return ayatori_layout(schedule, 1, 1000), exchange(schedule, 0), 0;
    if (strcmp(name, "forever") == 0) return write_forever(schedule), 0;
    if (strcmp(name, "call") == 0) return tell_everything(call, schedule), -1;
    if (strcmp(name, "pairs") == 0)
        return ayatori_refuse(schedule, call->pair_bytes != NULL && call->pair_bytes[1] == 7 ? "7 from 0 to 1" : "?");
    if (strcmp(name, "twice") == 0) return exchange(schedule, ayatori_scratch(schedule, 0)), ayatori_reduce(schedule, 1, 1, 0), 0;
    return ayatori_refuse(schedule, "there is none of this name");
}
