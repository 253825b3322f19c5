/*
 * nwtopo: queries of a network: distances, routes, nearest machines, cuts. The conventions of nwtopo.h hold.
 *
 * Everything is computed on demand, over links that are up; no table of size N x N is kept. For grids without faults the
 * coordinates suffice; all other networks are searched breadth-first. Machines do not forward, unless their router is built
 * in.
 */
#ifndef NWTOPO_QUERIES_H
#define NWTOPO_QUERIES_H

#include "../nwtopo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Defined in nwtopo/links.h, which may be including this header. */
struct nwtopo_nic;
struct nwtopo_link;

#define NWTOPO_UNREACHABLE (~0u)

/* Returns the number of links on a shortest route between two machines or routers: 0 from an object to itself, 2 between
 * hosts of one leaf switch, 1 between neighbors of a torus. -1 on error; ENOENT where there is no route. */
long nwtopo_get_hops(nwtopo_topology_t topology, nwtopo_obj_t from, nwtopo_obj_t to);

/* Returns the number of links on a shortest route that leaves a machine by one of its NICs and arrives at a NIC of another:
 * which pairs of NICs are on one rail, and how far others are.
 *     from, to          machines
 *     from_nic, to_nic  indices for nwtopo_obj_get_nic()
 * -1 on error; ENOENT for a NIC that the machine does not have, and where there is no route. */
long nwtopo_get_nic_hops(nwtopo_topology_t topology, nwtopo_obj_t from, unsigned from_nic, nwtopo_obj_t to,
                         unsigned to_nic);

/* Finds the NIC of another machine that is nearest to a NIC of this one, and writes it to *nic: the destination for a
 * message that leaves by the local NIC. Of equally near NICs it is that of the same rail, or else the first.
 * Returns 0, or -1 with ENOENT for a NIC that the machine does not have, and where no NIC can be reached. */
int nwtopo_get_nearest_nic(nwtopo_topology_t topology, nwtopo_obj_t from, unsigned from_nic, nwtopo_obj_t to,
                           struct nwtopo_nic *nic);

/* Writes the distances between machines or routers.
 *     objs    num_objs objects
 *     matrix  receives num_objs rows of num_objs numbers: hops, or NWTOPO_UNREACHABLE where there is no route
 * Returns 0 or -1. */
int nwtopo_get_distances(nwtopo_topology_t topology, unsigned num_objs, nwtopo_obj_t *objs, unsigned *matrix);

/* Returns the number of shortest routes; parallel cables count separately. ULONG_MAX if there are more than that; 0 on
 * error, with ENOENT if there is no route. */
unsigned long nwtopo_get_num_routes(nwtopo_topology_t topology, nwtopo_obj_t from, nwtopo_obj_t to);

/* Writes a shortest route. In a torus, route 0 goes dimension by dimension, from the first to the last.
 *     which      of the routes that nwtopo_get_num_routes() counts, from 0
 *     max_links  how many links fit into `links`
 *     links      receives the route's first links, as many as fit; may be NULL if max_links is 0
 * Returns the number of links of the route; -1 on error, with ENOENT if there is no such route. */
long nwtopo_get_route(nwtopo_topology_t topology, nwtopo_obj_t from, nwtopo_obj_t to, unsigned long which,
                      unsigned max_links, struct nwtopo_link *links);

/* Before loading: names a file of forwarding tables, by which packets take the routes of nwtopo_get_routed_path().
 *     file  OpenSM's lfts file or dump, dump_lfts, ibdiagnet's fdbs. NULL: none. The string is copied, and the file is
 *           read and checked at load. Subsets have the tables of their base: nwtopo_topology_shrink() refuses others.
 * Returns 0 or -1. */
int nwtopo_topology_set_tables(nwtopo_topology_t topology, const char *file);

/* Writes the route that packets take by the forwarding tables. In a torus or mesh of machines without tables: dimension
 * order, as nwtopo_get_route() has it.
 *     from, to   machines
 *     path       which LID of `to`: 0 is its base LID
 *     max_links  how many links fit into `links`
 *     links      receives the route's first links, as many as fit; may be NULL if max_links is 0
 * Returns the number of links of the route; -1 with
 *     ENODATA  no tables were given, and the network is not a whole torus or mesh of machines without faults
 *     ENOENT   packets do not arrive, or `to` has no such LID */
long nwtopo_get_routed_path(nwtopo_topology_t topology, nwtopo_obj_t from, nwtopo_obj_t to, unsigned path,
                            unsigned max_links, struct nwtopo_link *links);

/* Writes the lowest common ancestors of a and b (or a or b itself): in a fat tree the routers at which packets turn
 * downwards.
 *     max_objs  how many objects fit into `objs`
 *     objs      receives the first objects by rising id; may be NULL if max_objs is 0
 * Returns how many there are, 0 if none; -1 on error. */
long nwtopo_get_common_ancestors(nwtopo_topology_t topology, nwtopo_obj_t a, nwtopo_obj_t b, unsigned max_objs,
                                 nwtopo_obj_t *objs);

/* Writes the machines nearest to a machine or router, without `from` itself: nearest first, equally near ones by rising id.
 *     max_machines  how many to write at most
 *     machines      receives them
 * Returns how many were written; -1 on error. */
long nwtopo_get_nearest_machines(nwtopo_topology_t topology, nwtopo_obj_t from, unsigned max_machines,
                                 nwtopo_obj_t *machines);

/* Writes the machines under an object, in network order; a machine is under itself.
 *     max_machines  how many fit into `machines`
 *     machines      receives the first ones; may be NULL if max_machines is 0
 * Returns how many there are; -1 on error. */
long nwtopo_get_machines_under(nwtopo_topology_t topology, nwtopo_obj_t obj, unsigned max_machines,
                               nwtopo_obj_t *machines);

/* The bandwidth between two sets of machines. */
struct nwtopo_cut {
    double bandwidth;        /* maximum flow from a to b, bytes per second: capacity of a minimum cut. 0 if it depends
                                on links of unknown bandwidth; also 0 (and num_links) if there is no path */
    double injection;        /* smaller of the bandwidths of the NICs of a and of b, bytes per second; 0: not known */
    double oversubscription; /* injection / bandwidth; 1 is a full bisection; 0 if one of them is not known */
    unsigned long num_links; /* links of that cut; if its bandwidth is not known, of the one with the fewest links */
    void *reserved[2];       /* NULL */
};

/* Computes the minimum cut between two sets of machines (maximum flow); of several the one nearest to a. In a subset
 * packets travel as described at nwtopo_topology_shrink().
 *     a, b  num_a and num_b machines, at least one each, without a common member
 *     cut   receives the answer
 * Returns 0, or -1 with EINVAL for an empty set or a duplicate machine. */
int nwtopo_get_cut(nwtopo_topology_t topology, unsigned num_a, nwtopo_obj_t *a, unsigned num_b, nwtopo_obj_t *b,
                   struct nwtopo_cut *cut);

#ifdef __cplusplus
}
#endif

#endif
