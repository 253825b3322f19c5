/*
 * The communication pattern of Trinaryx3 (Matsumoto et al., MPI_Allreduce on the K computer, 2011), written on nwtopo: who
 * receives from whom when a root broadcasts on a torus along several trees ("colours") at once.
 *
 * Colour c of D dimensions takes the axes in the order c, c + 1, ... (mod D). The root sends upwards along axis c; the
 * nodes of that line along c + 1; and so on. Nodes with the root's coordinate on axis c receive last, from the node one
 * above. Colours D ... 2D - 1 are the mirror images. No two colours of one half use the same link in the same direction.
 *
 * trinaryx3.c checks all of this; trinaryx3_broadcast.c broadcasts by it in MPI programs.
 */
#ifndef TRINARYX3_H
#define TRINARYX3_H

#include "nwtopo.h"

#define MAX_DIMENSIONS 6

/* The pattern, from here: table 2 of paper 2 counts 147 lines. */

struct pattern {
    nwtopo_obj_t parent; /* NULL at the root */
    unsigned num_children;
    nwtopo_obj_t children[MAX_DIMENSIONS + 1];
};

/* How far `me` lies above the root on an axis, in the direction of the colour. */
static unsigned distance(nwtopo_obj_t grid, const int *root, const int *me, unsigned axis, int sign)
{
    int length = (int)grid->attr->grid.dimensions[axis];
    return (unsigned)(((me[axis] - root[axis]) * sign + length) % length);
}

static int add_child(nwtopo_topology_t topo, nwtopo_obj_t grid, nwtopo_obj_t me, unsigned axis, int shift,
                     struct pattern *p)
{
    return nwtopo_grid_get_neighbor_obj(topo, grid, me, axis, shift, &p->children[p->num_children++]);
}

static int get_pattern(nwtopo_topology_t topo, nwtopo_obj_t grid, nwtopo_obj_t root, nwtopo_obj_t me, unsigned colour,
                       struct pattern *p)
{
    unsigned n = grid->attr->grid.num_dimensions, last = 0, away[MAX_DIMENSIONS], i;
    int sign = colour < n ? 1 : -1, rc[MAX_DIMENSIONS], mc[MAX_DIMENSIONS];

    if (nwtopo_grid_get_coords(topo, grid, root, rc) != 0 || nwtopo_grid_get_coords(topo, grid, me, mc) != 0) return -1;
    for (i = 0; i < n; i++) {
        away[i] = distance(grid, rc, mc, (colour + i) % n, sign);
        if (away[i] > 0) last = i;
    }
    p->parent = NULL;
    p->num_children = 0;
    if (me == root) return add_child(topo, grid, me, colour % n, sign, p);

    if (nwtopo_grid_get_neighbor_obj(topo, grid, me, (colour + (away[0] ? last : 0)) % n, away[0] ? -sign : sign,
                                     &p->parent) != 0) return -1;
    if (away[0] == 0) return 0;
    for (i = last; i < n; i++) {
        unsigned axis = (colour + i) % n;
        if (away[i] + 1 < grid->attr->grid.dimensions[axis] && add_child(topo, grid, me, axis, sign, p) != 0) return -1;
    }
    return away[0] == 1 && last > 0 ? add_child(topo, grid, me, colour % n, -sign, p) : 0;
}

/* The pattern, to here. */

#endif
