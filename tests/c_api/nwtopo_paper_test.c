/* The code of the paper's figures 4 and 5 as it is printed there, but for its line breaks: MPI is a loop over the ranks
 * of one process, and stands for what the paper leaves out ("..."). */
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

static void broadcast_on(int rank) {
    MPI_Comm comm = MPI_COMM_WORLD;
    unsigned long *ids;
    int i;
    place_on(rank);
    {
        /* Figure 4. */
        nwtopo_topology_t topo;
        nwtopo_obj_t me, *procs;
        nwtopo_topology_init(&topo);
        nwtopo_topology_load(topo);

        me = nwtopo_topology_get_this_machine(topo);
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
        CHECK(procs[rank] == me);
        {
            unsigned dirs[3];
            int id, nsends;
            /* Figure 5. */
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
                    int nc[3];
                    CHECK(nwtopo_grid_get_coords(topo, grid, nobj, nc) == 0);
                    CHECK(nc[id] == (mc[id] + 1) % (int)grid->attr->grid.dimensions[id]);
                }
            }
            CHECK(rc[0] == 37 / (6 * 16) && rc[1] == 37 / 16 % 6 && rc[2] == 37 % 16);
            for (i = 0; i < 3; ++i) {
                int length = (int)grid->attr->grid.dimensions[i];
                CHECK(grid->attr->grid.periodicities[i]);
                CHECK(oc[i] == (rc[i] - 1 + length) % length);
            }
        }
        nwtopo_topology_destroy(topo);
        free(procs);
        free(ids);
    }
}

int main(void) {
    int rank;
    for (rank = 0; rank < nprocs; rank += 31) broadcast_on(rank);
    return failures();
}
