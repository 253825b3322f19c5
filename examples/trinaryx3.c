/*
 * The communication pattern of Trinaryx3 (Matsumoto et al., MPI_Allreduce on the K computer, 2011), written on nwtopo: who
 * receives from whom when a root broadcasts on a torus along several trees ("colours") at once.
 *
 * Colour c of D dimensions takes the axes in the order c, c + 1, ... (mod D). The root sends upwards along axis c; the
 * nodes of that line along c + 1; and so on. Nodes with the root's coordinate on axis c receive last, from the node one
 * above. Colours D ... 2D - 1 are the mirror images. No two colours of one half use the same link in the same direction.
 *
 *     trinaryx3 [SOURCE]      checks all of this for every colour on a torus; by default torus:4x4x4
 */
#include <stdio.h>
#include <stdlib.h>

#include "nwtopo.h"

#define MAX_DIMENSIONS 6

/* The paper counts 37 lines for the initialisation and 147 for the pattern. Ours begin here. */

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

/* And end here. What follows checks them. */

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "trinaryx3: %s\n", what);
    exit(1);
}

/* Marks the link from a to a neighbour as used by a colour's half. */
static void use_link(nwtopo_topology_t topo, nwtopo_obj_t from, nwtopo_obj_t to, char *used)
{
    long links = nwtopo_obj_get_num_links(topo, from), i;
    for (i = 0; i < links; i++) {
        struct nwtopo_link link;
        if (nwtopo_obj_get_link(topo, from, (unsigned long)i, &link) != 0) fail(nwtopo_error_message());
        if (link.to != to) continue;
        if (used[from->id * 2 * MAX_DIMENSIONS + (unsigned long)i]++) continue; /* perhaps the other of two links */
        return;
    }
    fail("two colours share a link, or a parent is not a neighbour");
}

/* Walks a colour's tree down from the root; gives how many nodes it reached and its depth. */
static unsigned long walk(nwtopo_topology_t topo, nwtopo_obj_t grid, nwtopo_obj_t root, unsigned colour, char *used,
                          unsigned *depth)
{
    unsigned long reached = 0, end = 1;
    nwtopo_obj_t *queue = malloc(grid->num_children * sizeof *queue);
    unsigned *level = calloc(grid->num_children, sizeof *level);
    queue[0] = root;
    for (; reached < end; reached++) {
        struct pattern p, child;
        unsigned i;
        if (get_pattern(topo, grid, root, queue[reached], colour, &p) != 0) fail(nwtopo_error_message());
        if (p.num_children > 3) fail("more than three children");
        for (i = 0; i < p.num_children; i++) {
            if (end == grid->num_children) fail("a node has two parents");
            if (get_pattern(topo, grid, root, p.children[i], colour, &child) != 0) fail(nwtopo_error_message());
            if (child.parent != queue[reached]) fail("parent and child disagree");
            use_link(topo, queue[reached], p.children[i], used);
            level[end] = *depth = level[reached] + 1;
            queue[end++] = p.children[i];
        }
    }
    free(queue);
    free(level);
    return reached;
}

int main(int argc, char **argv)
{
    nwtopo_topology_t topo;
    nwtopo_obj_t grid, root;
    unsigned colour, depth;
    char *used;

    if (nwtopo_topology_init(&topo) != 0 || nwtopo_topology_set_source(topo, argc > 1 ? argv[1] : "torus:4x4x4") != 0 ||
        nwtopo_topology_load(topo) != 0 || (grid = nwtopo_topology_get_root(topo)) == NULL) fail(nwtopo_error_message());
    if (grid->type != NWTOPO_OBJ_GRID || grid->attr->grid.num_dimensions > 3) fail("no torus of up to 3 dimensions");
    root = nwtopo_topology_get_object_by_id(topo, grid->num_children / 2);
    used = calloc(grid->num_children, 2 * MAX_DIMENSIONS);
    for (colour = 0; colour < grid->attr->grid.num_dimensions; colour++) {
        if (walk(topo, grid, root, colour, used, &depth) != grid->num_children) fail("a tree misses nodes");
        printf("colour %u: %u nodes, depth %u, at most 3 children, no link shared\n", colour, grid->num_children, depth);
    }
    free(used);
    nwtopo_topology_destroy(topo);
    return 0;
}
