/*
 * Paper 2, figure 2: a binary tree of 16 ranks on a 4 x 4 torus. In the order of the ranks, its edges take up to 3 hops and
 * share cables; mapped on the network, none takes more than 2 and no cable carries two of them.
 *
 *     binary_tree [SOURCE]      by default torus:4x4
 */
#include <stdio.h>
#include <stdlib.h>

#include "nwtopo.h"

#define MAX_HOPS 2
#define MAX_LINKS 64

struct mapping {
    nwtopo_topology_t topo;
    unsigned num_ranks;
    nwtopo_obj_t *place; /* of each rank; NULL: none yet */
    char *taken;         /* by machine id */
    char *used;          /* by machine id and link: how many edges go over it, in either direction */
};

static void fail(const char *what)
{
    fprintf(stderr, "binary_tree: %s\n", what);
    exit(1);
}

static char *uses_of(struct mapping *m, const struct nwtopo_link *link)
{
    return &m->used[link->from->id * MAX_LINKS + link->from_port];
}

/* Adds `change` to both directions of the cables on a route; gives the most that a cable carries then. */
static int count_route(struct mapping *m, const struct nwtopo_link *route, long length, int change)
{
    int most = 0;
    long i;
    for (i = 0; i < length; i++) {
        struct nwtopo_link back = route[i];
        char *there = uses_of(m, &route[i]), *home;
        back.from = route[i].to;
        back.from_port = route[i].to_port;
        home = uses_of(m, &back);
        *there = (char)(*there + change);
        *home = (char)(*home + change);
        if (*there > most) most = *there;
    }
    return most;
}

/* Places `rank` and all ranks after it, trying for each the machines near its parent; false if that fails. */
static bool place_from(struct mapping *m, unsigned rank)
{
    nwtopo_obj_t parent, near[MAX_LINKS];
    long found, i;
    if (rank == m->num_ranks) return true;
    parent = m->place[(rank - 1) / 2];
    found = nwtopo_get_nearest_machines(m->topo, parent, MAX_LINKS, near);
    for (i = 0; i < found && nwtopo_get_hops(m->topo, parent, near[i]) <= MAX_HOPS; i++) {
        unsigned long which, routes = nwtopo_get_num_routes(m->topo, parent, near[i]);
        if (m->taken[near[i]->id]) continue;
        for (which = 0; which < routes; which++) {
            struct nwtopo_link route[MAX_HOPS];
            long length = nwtopo_get_route(m->topo, parent, near[i], which, MAX_HOPS, route);
            m->place[rank] = near[i];
            m->taken[near[i]->id] = 1;
            if (count_route(m, route, length, 1) == 1 && place_from(m, rank + 1)) return true;
            count_route(m, route, length, -1);
            m->taken[near[i]->id] = 0;
        }
    }
    return false;
}

/* What the tree's edges take when rank i is on machine place[i] and packets take route 0. */
static void describe(struct mapping *m, const char *name, bool by_route_0)
{
    long hops, max_hops = 0;
    int shared = 0;
    unsigned rank;
    for (rank = 1; rank < m->num_ranks; rank++) {
        struct nwtopo_link route[MAX_LINKS];
        hops = nwtopo_get_hops(m->topo, m->place[(rank - 1) / 2], m->place[rank]);
        if (hops > max_hops) max_hops = hops;
        if (!by_route_0) continue;
        hops = nwtopo_get_route(m->topo, m->place[(rank - 1) / 2], m->place[rank], 0, MAX_LINKS, route);
        if (count_route(m, route, hops, 1) > 1) shared++;
    }
    printf("%-16s at most %ld hops, %d edges share a cable with another\n", name, max_hops, shared);
}

int main(int argc, char **argv)
{
    struct mapping m = {0};
    unsigned rank;
    if (nwtopo_topology_init(&m.topo) != 0 || nwtopo_topology_set_source(m.topo, argc > 1 ? argv[1] : "torus:4x4") != 0 ||
        nwtopo_topology_load(m.topo) != 0) fail(nwtopo_error_message());
    m.num_ranks = (unsigned)nwtopo_topology_get_num_objects(m.topo, 0);
    m.place = calloc(m.num_ranks, sizeof *m.place);
    m.taken = calloc(m.num_ranks, 1);
    m.used = calloc(m.num_ranks, MAX_LINKS);

    for (rank = 0; rank < m.num_ranks; rank++) m.place[rank] = nwtopo_topology_get_object(m.topo, 0, rank);
    describe(&m, "in rank order:", true);

    free(m.used);
    m.used = calloc(m.num_ranks, MAX_LINKS);
    m.taken[m.place[0]->id] = 1;
    if (!place_from(&m, 1)) fail("this network has no such mapping");
    describe(&m, "mapped:", false);
    for (rank = 0; rank < m.num_ranks; rank++) printf("%s%s", rank ? " " : "ranks on ", m.place[rank]->attr->machine.hostname);
    printf("\n");

    free(m.place);
    free(m.taken);
    free(m.used);
    nwtopo_topology_destroy(m.topo);
    return 0;
}
