/*
 * A broadcast for MPI programs that knows the network, written on public headers alone: nwtopo.h says where the ranks are
 * and who is whose neighbour, and ayatori_algorithm.h takes the steps. It is the broadcast of paper 2: Trinaryx3, whose
 * pattern is in trinaryx3.h.
 *
 *     cc -shared -fPIC -I PREFIX/include trinaryx3_broadcast.c -L PREFIX/lib -lnwtopo -o trinaryx3_broadcast.so
 *     export NWTOPO_SOURCE=torus:4x6x16
 *     ayatori simulate torus:4x6x16 --collective broadcast --algorithm library:trinaryx3_broadcast.so
 *     AYATORI_BCAST=library:./trinaryx3_broadcast.so ayatori run mpirun -np 384 --hostfile hosts ./program
 *
 * The network is that of NWTOPO_SOURCE, or the detected one. The job has one rank on each machine of the torus.
 */
#include "trinaryx3.h"

#include <stdlib.h>
#include <string.h>

#include "ayatori_algorithm.h"

/* The initialisation, from here: table 2 of paper 2 counts 37 lines. */

static nwtopo_topology_t topo;
static nwtopo_obj_t grid, *machines; /* of the grid's points, in row-major order */

static int load_topology(void)
{
    int coords[MAX_DIMENSIONS] = {0};
    unsigned i, d;

    if (machines != NULL) return 0;
    if (topo == NULL && nwtopo_topology_init(&topo) != 0) return -1;
    if (nwtopo_topology_load(topo) != 0 || (grid = nwtopo_topology_get_root(topo)) == NULL) return -1;
    if (grid->type != NWTOPO_OBJ_GRID || grid->attr->grid.num_dimensions > MAX_DIMENSIONS) return -1;
    machines = malloc(grid->num_children * sizeof *machines);
    for (i = 0; machines != NULL && i < grid->num_children; i++) {
        if (nwtopo_grid_get_obj(topo, grid, coords, &machines[i]) != 0) return -1;
        for (d = grid->attr->grid.num_dimensions; d-- > 0;) {
            if (++coords[d] < (int)grid->attr->grid.dimensions[d]) break;
            coords[d] = 0;
        }
    }
    return machines == NULL ? -1 : 0;
}

/* The initialisation, to here. */

/* Whether the machines of the call are those of the topology: one rank on each. */
static int is_of_topology(const struct ayatori_call *call)
{
    unsigned d;
    if (call->ranks != call->machines || call->ranks != grid->num_children) return 0;
    if (call->dimensions != grid->attr->grid.num_dimensions) return 0;
    for (d = 0; d < call->dimensions; d++) {
        if (call->lengths[d] != grid->attr->grid.dimensions[d] || call->lengths[d] < 2 || !call->periodic[d]) return 0;
    }
    return 1;
}

/* Chunks of a colour's share: as many as make a pipeline fast whose messages cost as much as 16 KiB take on the wire. */
static uint32_t count_chunks(const struct ayatori_call *call)
{
    uint64_t bytes = call->bytes / call->dimensions;
    double depth = 0, best, chunks = 1;
    unsigned d;

    for (d = 0; d < call->dimensions; d++) depth += call->lengths[d] - 1;
    if (call->dimensions > 1 && call->lengths[0] < 3) depth += 3 - (double)call->lengths[0];
    best = (depth - 1) * (double)bytes / 16384;
    if (call->chunk_bytes > 0) return (uint32_t)((bytes + call->chunk_bytes - 1) / call->chunk_bytes) + (bytes == 0);
    while (chunks < (double)bytes && (chunks + 0.5) * (chunks + 0.5) <= best) chunks++;
    return (uint32_t)chunks;
}

static uint32_t rank_of(nwtopo_obj_t machine) { return (uint32_t)(uintptr_t)machine->userdata; }

/* A rank receives chunk after chunk from its parent, and in each step sends the one before to its children. */
static int write_steps(const struct ayatori_call *call, struct ayatori_schedule *schedule, uint32_t rank,
                       uint32_t colour, uint32_t chunks)
{
    nwtopo_obj_t root = machines[call->point[call->machine[call->root]]];
    nwtopo_obj_t me = machines[call->point[call->machine[rank]]];
    uint32_t first = colour * chunks, step, i;
    struct pattern p;

    if (get_pattern(topo, grid, root, me, colour, &p) != 0) return ayatori_refuse(schedule, nwtopo_error_message());
    for (step = 0; step < chunks + (p.parent != NULL); step++) {
        uint32_t sent = p.parent != NULL ? step - 1 : step;
        ayatori_step(schedule, rank, colour);
        if (p.parent != NULL && step < chunks) ayatori_receive(schedule, rank_of(p.parent), first + step, 1);
        if (p.parent != NULL && step == 0) continue;
        for (i = 0; i < p.num_children; i++) ayatori_send(schedule, rank_of(p.children[i]), first + sent, 1);
    }
    return 0;
}

int ayatori_make_schedule(const struct ayatori_call *call, struct ayatori_schedule *schedule)
{
    uint32_t rank, colour, chunks;

    if (strcmp(call->collective, "broadcast") != 0) return ayatori_refuse(schedule, "there is only a broadcast");
    if (load_topology() != 0) return ayatori_refuse(schedule, topo ? nwtopo_error_message() : "out of memory");
    if (!is_of_topology(call)) return ayatori_refuse(schedule, "the job is not one rank on each machine of a torus");
    for (rank = 0; rank < call->ranks; rank++)
        machines[call->point[call->machine[rank]]]->userdata = (void *)(uintptr_t)rank;
    chunks = count_chunks(call);
    ayatori_layout(schedule, call->dimensions * chunks, call->dimensions);
    for (rank = 0; rank < call->ranks; rank++) {
        for (colour = 0; colour < call->dimensions; colour++) {
            if (write_steps(call, schedule, rank, colour, chunks) != 0) return -1;
        }
    }
    return 0;
}
