/* The code of the paper's figures 4 and 5 as it is printed there, but for its line breaks and its division into functions:
 * MPI is a loop over the ranks of one process, and stands for what the paper leaves out ("..."). */
#define _POSIX_C_SOURCE 200112L

#include <stdlib.h>

#include "check.h"

enum { nprocs = 4 * 6 * 16, root = 37 };

typedef int MPI_Comm;
enum { MPI_UNSIGNED_LONG, MPI_COMM_WORLD };

/* Rank r runs on machine r, as everybody else would say, too. */
static void allgather(unsigned long *mine, int count, int type, unsigned long *all, int counts, int types, MPI_Comm comm) {
    unsigned long rank;
    (void)count, (void)counts, (void)type, (void)types, (void)comm;
    for (rank = 0; rank < nprocs; ++rank) all[rank] = rank;
    CHECK(all[*mine] == *mine);
}

static void place_on(int rank) {
    char text[16];
    snprintf(text, sizeof text, "%d", rank);
    setenv("NWTOPO_SOURCE", "torus:4x6x16", 1);
    setenv("NWTOPO_THIS_MACHINE", text, 1);
}

/* Figure 4: every rank tells all others its machine. Gives the machines by rank. */
static nwtopo_obj_t *exchange_machines(nwtopo_topology_t topo, nwtopo_obj_t me) {
    MPI_Comm comm = MPI_COMM_WORLD;
    unsigned long *ids;
    nwtopo_obj_t *procs;
    int i;
    ids = malloc(nprocs * sizeof(*ids));
    procs = malloc(nprocs * sizeof(*procs));
    allgather(&me->id, 1, MPI_UNSIGNED_LONG,
              ids, 1, MPI_UNSIGNED_LONG,
              comm);

    for(i = 0; i < nprocs; i++){
        procs[i] = nwtopo_topology_get_object_by_id(
            topo, ids[i]);
    }
    /* End of figure 4. */
    free(ids);
    return procs;
}

static void check_next(nwtopo_topology_t topo, nwtopo_obj_t grid, const int *mc, int id, nwtopo_obj_t nobj) {
    int nc[3];
    CHECK(nwtopo_grid_get_coords(topo, grid, nobj, nc) == 0);
    CHECK(nc[id] == (mc[id] + 1) % (int)grid->attr->grid.dimensions[id]);
}

/* The root's coordinates, and those of the object diagonally before it, around the edges of the torus. */
static void check_root_and_opposite(nwtopo_obj_t grid, const int *rc, const int *oc) {
    int i;
    CHECK(rc[0] == 37 / (6 * 16) && rc[1] == 37 / 16 % 6 && rc[2] == 37 % 16);
    for (i = 0; i < 3; ++i) {
        int length = (int)grid->attr->grid.dimensions[i];
        CHECK(grid->attr->grid.periodicities[i]);
        CHECK(oc[i] == (rc[i] - 1 + length) % length);
    }
}

/* Figure 5: the neighbours that a rank sends the root's data to. */
static void send_to_neighbours(nwtopo_topology_t topo, nwtopo_obj_t me, nwtopo_obj_t *procs) {
    unsigned dirs[3];
    int id, nsends, i;
    nwtopo_obj_t robj = procs[root], oobj, nobj;
    nwtopo_obj_t grid = me->parents[0];
    int shifts[] = {-1, -1, -1};
    int rc[3], mc[3], oc[3];

    nwtopo_grid_get_coords(topo, grid, robj, rc);
    nwtopo_grid_get_coords(topo, grid, me, mc);

    nwtopo_grid_get_shifted_obj(topo, grid, robj,
                                shifts, &oobj);
    nwtopo_grid_get_coords(topo, grid, oobj, oc);

    for(id = 0; id < 3; id++){
        dirs[0] = (unsigned)id;
        nsends = mc[id] == oc[id] ? 0 : 1;

        for(i = 0; i < nsends; i++){
            nwtopo_grid_get_neighbor_obj(
                topo, grid, me, dirs[i], 1, &nobj);
            /* End of figure 5. */
            check_next(topo, grid, mc, id, nobj);
        }
    }
    check_root_and_opposite(grid, rc, oc);
}

static void broadcast_on(int rank) {
    nwtopo_topology_t topo;
    nwtopo_obj_t me, *procs;
    place_on(rank);
    /* Figure 4 begins. */
    nwtopo_topology_init(&topo);
    nwtopo_topology_load(topo);

    me = nwtopo_topology_get_this_machine(topo);
    procs = exchange_machines(topo, me);
    CHECK(procs[rank] == me);
    send_to_neighbours(topo, me, procs);
    nwtopo_topology_destroy(topo);
    free(procs);
}

int main(void) {
    int rank;
    for (rank = 0; rank < nprocs; rank += 31) broadcast_on(rank);
    return failures();
}
