/*
 * nwtopo: what one asks of a network. Part of nwtopo.h; its conventions hold.
 *
 * Everything is computed on demand, over links that are up; nothing of size N x N is kept. Grids without faults answer
 * from their coordinates, all else by breadth-first search. Machines do not forward, unless their router is built in.
 */
#ifndef NWTOPO_QUERIES_H
#define NWTOPO_QUERIES_H

#ifdef __cplusplus
extern "C" {
#endif

#define NWTOPO_UNREACHABLE (~0u)

/* Links on a shortest way between two machines or routers: 0 from an object to itself, 2 between hosts of one leaf switch,
 * 1 between neighbours of a torus. -1 on error, also (ENOENT) where there is no way. */
long nwtopo_get_hops(nwtopo_topology_t topology, nwtopo_obj_t from, nwtopo_obj_t to);

/* Fills `matrix`, num_objs rows of num_objs numbers, with hops; NWTOPO_UNREACHABLE where there is no way. */
int nwtopo_get_distances(nwtopo_topology_t topology, unsigned num_objs, nwtopo_obj_t *objs, unsigned *matrix);

/* How many shortest routes there are, parallel cables counted apart; 0 with ENOENT where there is no way, ULONG_MAX if
 * there are more. */
unsigned long nwtopo_get_num_routes(nwtopo_topology_t topology, nwtopo_obj_t from, nwtopo_obj_t to);

/* The `which`-th shortest route (from 0): writes up to `max_links` of its links and gives their true number; -1 on
 * error. In a torus, route 0 goes dimension by dimension, from the first to the last. */
long nwtopo_get_route(nwtopo_topology_t topology, nwtopo_obj_t from, nwtopo_obj_t to, unsigned long which,
                      unsigned max_links, struct nwtopo_link *links);

/* The way that packets take by forwarding tables: before loading, names a file of tables (OpenSM's lfts file or dump,
 * dump_lfts, ibdiagnet's fdbs). NULL: none. Checked at load. */
int nwtopo_topology_set_tables(nwtopo_topology_t topology, const char *file);

/* The routed way to the `path`-th LID of `to` (0: the base LID). Like nwtopo_get_route(). ENODATA if there are no tables,
 * ENOENT if packets do not arrive or `to` has no such LID. In a torus or mesh of machines: dimension order, as
 * nwtopo_get_route() has it; of a subset of it, or one with faults, that is not known (ENODATA). */
long nwtopo_get_routed_path(nwtopo_topology_t topology, nwtopo_obj_t from, nwtopo_obj_t to, unsigned path,
                            unsigned max_links, struct nwtopo_link *links);

/* The lowest objects above both (or equal to one): writes up to `max_objs` and gives their true number, 0 if there are
 * none; -1 on error. In a fat tree: the routers where the two may meet. */
long nwtopo_get_common_ancestors(nwtopo_topology_t topology, nwtopo_obj_t a, nwtopo_obj_t b, unsigned max_objs,
                                 nwtopo_obj_t *objs);

/* Up to `max_machines` machines nearest to `from`, nearest first, not itself. Gives how many were written; -1 on error. */
long nwtopo_get_nearest_machines(nwtopo_topology_t topology, nwtopo_obj_t from, unsigned max_machines,
                                 nwtopo_obj_t *machines);

/* Machines under an object in network order: writes up to `max_machines` and gives their true number; -1 on error. */
long nwtopo_get_machines_under(nwtopo_topology_t topology, nwtopo_obj_t obj, unsigned max_machines,
                               nwtopo_obj_t *machines);

/* What two sets of machines without a common member can exchange. */
struct nwtopo_cut {
    double bandwidth;        /* bytes a second that fit from a to b at once: the narrowest cut between them */
    double injection;        /* the lesser of what the NICs of a and of b carry */
    double oversubscription; /* injection / bandwidth; 1 is a full bisection */
    unsigned long num_links; /* links of the cut */
    void *reserved[2];       /* NULL */
};
int nwtopo_get_cut(nwtopo_topology_t topology, unsigned num_a, nwtopo_obj_t *a, unsigned num_b, nwtopo_obj_t *b,
                   struct nwtopo_cut *cut);

#ifdef __cplusplus
}
#endif

#endif
