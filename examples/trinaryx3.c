/*
 * Checks the communication pattern of Trinaryx3 that trinaryx3.h writes on nwtopo: that each colour reaches all nodes,
 * parents and children agree, and no two colours share a link.
 *
 *     trinaryx3 [SOURCE]      checks every colour on a torus; by default torus:4x4x4
 */
#include "trinaryx3.h"

#include <stdio.h>
#include <stdlib.h>

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
