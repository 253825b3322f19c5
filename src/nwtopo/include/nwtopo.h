/*
 * nwtopo: the topology of the network between machines, as hwloc shows the inside of one.
 *
 * A program loads the topology of the network that it runs on, and gets a lattice of objects: machines, the routers above
 * them, and virtual objects. A virtual object says how its children are connected: as a mesh or torus (grid), each to each
 * (full), or by listed edges (graph). The interface is that of Kawashima et al., "nwtopo: a general network topology
 * querying API for HPC systems", appendix A.1. The topic headers add what the paper leaves for later.
 *
 *     nwtopo_topology_t topology;
 *     if (nwtopo_topology_init(&topology) != 0 || nwtopo_topology_load(topology) != 0) {
 *         fprintf(stderr, "%s\n", nwtopo_error_message());
 *         return 1;
 *     }
 *     nwtopo_obj_t me = nwtopo_topology_get_this_machine(topology);
 *     ...
 *     nwtopo_topology_destroy(topology);
 *
 * Topics
 *     nwtopo.h            handles, sources, objects, walking
 *     nwtopo/grid.h       coordinates in a mesh or torus
 *     nwtopo/links.h      links, ports and NICs: bandwidth, latency, state, planes, faults
 *     nwtopo/queries.h    hops, routes, distances, common ancestors, nearest machines, cuts
 *     nwtopo/export.h     caches, buffers, files in other programs' formats, differences
 *     nwtopo/hwloc.h      the inside of a machine: its hwloc topology (not included here; needs hwloc.h)
 *
 * Errors. A function that returns int returns 0 on success and -1 on failure (or, where stated, a count and -1). One that
 * returns a pointer returns NULL on failure. errno gives the kind of error, and nwtopo_error_message() describes it in one
 * line. These errors are common to all functions and not repeated below:
 *     EINVAL  a NULL argument (unless NULL is stated to be valid), an object of another topology, a topology that is not
 *             loaded yet
 *     EBUSY   in functions that load or prepare loading: a topology that is loaded already
 *     ENOENT  the result would be a machine, and NWTOPO_TOPOLOGY_FLAG_NO_MACHINES is set
 *     ENOMEM
 * No function prints, exits or aborts.
 *
 * Ownership. Objects, their arrays and strings belong to the topology and live until it is destroyed. Do not free or write
 * to anything that a function returns. Two exceptions: an object's userdata, and results with a *_free() function.
 *
 * Threads. Any number of threads may use a loaded topology at the same time. init, set_*, load, shrink (on the new
 * topology) and destroy need exclusive access.
 */
#ifndef NWTOPO_H
#define NWTOPO_H

#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Raised by every release that adds to the API; see nwtopo_get_api_version(). */
#define NWTOPO_API_VERSION 0x000200

/* Returns the NWTOPO_API_VERSION that the library in use was built with. While the upper 16 bits are 0 (releases 0.x), a
 * program must be compiled against the header of the library that it runs with; from 1 on, a program that was built with
 * an older header of the same upper 16 bits runs with a newer library. */
unsigned nwtopo_get_api_version(void);

/* Returns the error message of this thread's last failed call, in one line; "" if none has failed. Never NULL; valid until
 * the thread's next failed call. */
const char *nwtopo_error_message(void);

/* A topology, from nwtopo_topology_init() to nwtopo_topology_destroy(). */
typedef struct nwtopo_topology *nwtopo_topology_t;

/* ------------------------------------------------------------------------------------------------ objects (A.1.1) */

typedef enum {
    NWTOPO_OBJ_MACHINE, /* a computer: always at height 0 */
    NWTOPO_OBJ_ROUTER,  /* forwards packets: an InfiniBand or Ethernet switch */
    NWTOPO_OBJ_GRID,    /* virtual: its children form a mesh or torus */
    NWTOPO_OBJ_FULL,    /* virtual: each of its children is connected to each other: routers, or groups of a dragonfly */
    NWTOPO_OBJ_GRAPH,   /* virtual: its children are connected by the edges in its attributes */
    NWTOPO_OBJ_MAX,     /* number of types */
    NWTOPO_OBJ_MESH = NWTOPO_OBJ_GRAPH /* the paper's name for a graph */
} nwtopo_obj_type_t;

/* Returns the word for an object type: "machine", "router", "grid", "full", "graph".
 * Errors: EINVAL (and NULL) for another number. */
const char *nwtopo_obj_type_name(nwtopo_obj_type_t type);

typedef struct nwtopo_obj *nwtopo_obj_t;

/* One object. An object is created when a function first returns it, so that a topology of a million machines takes little
 * memory until it is used. Its address never changes, and all of its ancestors exist.
 *
 * `children` is filled on loading if the topology has at most NWTOPO_SMALL objects, except for grids of more than 65,536
 * points. Otherwise it is NULL until nwtopo_obj_get_children() has been called for the object. Call that function if
 * your code must work for any size, or runs while other threads call nwtopo_obj_get_children(). With NO_MACHINES
 * `children` stays NULL where children are machines. num_children is always valid.
 *
 * Networks that consist of groups have an object for each group, above its routers, and one above all groups:
 *     dragonfly   a group is FULL, or GRAPH where cables within it are missing or it is not cabled each to each (Cray's
 *                 Aries); the object above the groups is FULL
 *     dragonfly+  a group is a GRAPH of its leaves and spines, and the spines are parents of the leaves; the object above
 *                 the groups is FULL
 *     HyperX      each row of each dimension is FULL, or GRAPH where cables are missing; a router has a row in each
 *                 dimension among its parents. The object above the rows is a GRAPH without edges: rows meet at routers */
struct nwtopo_obj {
    unsigned long id;       /* the same object has the same id in every process and every subset */
    nwtopo_obj_type_t type;
    unsigned height;        /* machines 0, what is above them 1, ... */
    unsigned num_parents;
    unsigned num_children;
    struct nwtopo_obj **parents;   /* num_parents objects by rising id; NULL if there are none. After a shrink with
                                      REUSE_OBJECTS those of the base: use nwtopo_obj_get_parent() */
    struct nwtopo_obj **children;  /* num_children objects by rising id, or NULL: see above */
    union nwtopo_obj_attr_u *attr; /* the member that belongs to `type`; never NULL */
    void *userdata;                /* yours; NULL at first */
};

#define NWTOPO_SMALL 4096

/* An edge of a graph: two of its children that at least one cable joins. */
struct nwtopo_graph_edge {
    nwtopo_obj_t nodes[2];
};
typedef struct nwtopo_graph_edge *nwtopo_graph_edge_t;
/* The paper's names. */
#define nwtopo_mesh_edge nwtopo_graph_edge
typedef struct nwtopo_graph_edge *nwtopo_mesh_edge_t;

union nwtopo_obj_attr_u {
    struct {
        char *hostname; /* NULL with NO_HOSTNAMES, or if the source has none */
        unsigned num_nics;
    } machine;
    struct {
        char *name; /* of the device or source; NULL with NO_HOSTNAMES, or if the source has none */
    } router;
    struct {
        bool dense; /* every point has a child */
        unsigned num_dimensions;
        unsigned *dimensions;            /* length of each */
        unsigned *reference_coordinates; /* of a subset: where its point (0,0,...) lies in the whole grid; else zeros */
        bool *periodicities;             /* of each dimension: true for a torus, false for a mesh */
        nwtopo_obj_t *map; /* child at each point, last coordinate fastest, NULL where there is none; like `children`,
                              NULL in large topologies until nwtopo_obj_get_children() */
    } grid;
    struct {
        int dummy;
    } full;
    struct {
        unsigned num_edges;
        nwtopo_graph_edge_t *edges; /* like `children`, NULL in large topologies until nwtopo_obj_get_children() */
    } graph;
    struct {
        unsigned num_edges;
        nwtopo_mesh_edge_t *edges;
    } mesh; /* the paper's name for graph */
};

/* ------------------------------------------------------------------------------------- making and ending (A.1.2) */

/* Makes an empty topology: set flags and a source, then load it.
 *     topologyp  receives the handle, for nwtopo_topology_destroy(); NULL on failure
 * Returns 0, or -1 with ENOMEM. */
int nwtopo_topology_init(nwtopo_topology_t *topologyp);

/* Loads the topology from its source. After a failure, source and flags may be set again and the topology loaded again.
 * Returns 0, or -1 with
 *     ENOENT     a file does not exist
 *     EINVAL     an invalid source or file (the message names the position)
 *     ENODATA    no source was set and none was found
 *     EOVERFLOW  more than 2^31 - 1 objects; 2^24 machines and routers, but for a torus or mesh of machines
 * and the errno of a file that cannot be read. */
int nwtopo_topology_load(nwtopo_topology_t topology);

/* Makes a subset of a topology: some of its machines, and the network between them. Ids and heights stay as they are in
 * the base.
 *     routers those on shortest paths between the machines stay, so that distances between machines do not change.
 *     grid    the smallest box around the machines, or around the routers that stay; around the edge of a torus where
 *             that is smaller. A dimension stays periodic if the box has its full length. `dense` says whether every
 *             point of the box has a machine or router.
 *     torus or mesh of machines (routers built in): packets travel within the box, also through the points whose machines
 *             are not in the subset. Such a machine is NULL in the links of a route.
 *     other networks of machines without routers: packets also travel through machines outside of the subset that are on
 *             a shortest path between two of its machines; they are NULL likewise. Where all machines are cabled to each
 *             other there are none.
 *
 *     new_topology   initialised, and not loaded. Source, buffer, host pattern and aliases of it are ignored. This machine
 *                    (nwtopo_topology_set_this_machine()) is that of the base unless it is set again. The forwarding tables
 *                    are those of the base; no others can be set.
 *     base_topology  loaded; may be destroyed before the subset is
 *     num_machines   at least 1
 *     machines       num_machines machines of the base, each once, in any order; the array is copied
 *
 * With NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS set on new_topology, machine objects are those of the base: the same pointers,
 * with the base's userdata, and no memory of their own. They keep the base's `parents`, too: the subset's are returned by
 * nwtopo_obj_get_parent(new_topology, ...). The topology argument of a grid function selects the grid: with
 * new_topology it is the subset's, even if you pass the base's parent. The objects live until the last topology that
 * shares them is destroyed.
 *
 * Returns 0, or -1 with EINVAL for num_machines 0, a duplicate machine, an object that is not a machine of the base, faults
 * that the subset does not have, forwarding tables set on new_topology. On failure new_topology is unchanged. */
int nwtopo_topology_shrink(nwtopo_topology_t new_topology, nwtopo_topology_t base_topology, unsigned num_machines,
                           nwtopo_obj_t *machines);

/* Frees a topology and its objects, loaded or not. NULL does nothing. All functions recognise a destroyed handle (EINVAL),
 * and this one ignores it, until the handle is reused: after 256 other topologies at the earliest. Do not rely on it. */
void nwtopo_topology_destroy(nwtopo_topology_t topology);

/* ------------------------------------------------------------------------------------------ before loading (A.1.3) */

enum nwtopo_topology_flags_e {
    /* The physical network where it differs from the logical one (Tofu: six dimensions instead of three). */
    NWTOPO_TOPOLOGY_FLAG_PHYSICAL_VIEW = (1 << 0),
    /* All of the system. By default a detected topology has only the machines of the batch job that the process runs in
     * (SLURM_JOB_NODELIST, PBS_NODEFILE, PJM_O_NODEINF). */
    NWTOPO_TOPOLOGY_FLAG_WHOLE_SYSTEM = (1 << 1),
    /* No machine objects: shapes and routers only. num_children still counts machines. */
    NWTOPO_TOPOLOGY_FLAG_NO_MACHINES = (1 << 2),
    /* No names of machines and routers. */
    NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES = (1 << 3),
    /* For nwtopo_topology_shrink(): machine objects of the base. */
    NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS = (1 << 4),
    /* Only the machines of the batch job that this process runs in, even if the source was set. Outside of a job: all
     * machines. Excludes WHOLE_SYSTEM. */
    NWTOPO_TOPOLOGY_FLAG_THIS_JOB = (1 << 5)
};

/* Returns the flags of a topology; 0 (and errno EINVAL) if it is not a topology. */
unsigned long nwtopo_topology_get_flags(nwtopo_topology_t topology);

/* Sets the flags, an OR of nwtopo_topology_flags_e; they start as 0.
 * Returns 0, or -1 with EINVAL for an unknown bit, or two flags that exclude each other. */
int nwtopo_topology_set_flags(nwtopo_topology_t topology, unsigned long flags);

/* Sets where the topology comes from.
 *     source  "torus:24x18x16", "ib:live", "ib:FILE", "slurm:FILE", "cache:FILE", ... (docs/sources.md lists them), or a
 *             file or folder whose kind load detects; nwtopo_topology_get_source() returns it afterwards. NULL: the
 *             environment's NWTOPO_SOURCE, or, if that is not set, the first detected: Tofu (a job of its batch system),
 *             InfiniBand (an active port), Slurm (its topology file). The string is copied, and checked at load.
 * Returns 0 or -1. Undoes nwtopo_topology_set_buffer(). */
int nwtopo_topology_set_source(nwtopo_topology_t topology, const char *source);

/* Returns the source that was set, or after loading the one that was used ("buffer" for a buffer); NULL if none is set. */
const char *nwtopo_topology_get_source(nwtopo_topology_t topology);

/* Sets as the source the bytes of nwtopo_topology_export_buffer() in this process or another. So rank 0 can load the
 * topology and broadcast it.
 *     buffer  at any alignment; must not change until nwtopo_topology_load() has returned, which copies and checks it.
 *             NULL: none; a source that was set stays
 *     size    in bytes; 0 for NULL
 * Returns 0, or -1 with EINVAL for NULL with a size. A buffer undoes nwtopo_topology_set_source(). */
int nwtopo_topology_set_buffer(nwtopo_topology_t topology, const void *buffer, size_t size);

/* Sets the pattern that extracts host names from the node descriptions of InfiniBand devices.
 *     pattern  a POSIX extended regular expression, which may use \d, \w and \s. The first group is the host name; the
 *              second one, if any, is the device: "^(\\S+) (mlx5_\\d+)". NULL: the built-in rules (docs/sources.md). The
 *              string is copied, and checked at load.
 * Returns 0 or -1. */
int nwtopo_topology_set_host_pattern(nwtopo_topology_t topology, const char *pattern);

/* Sets a file of aliases of machines. nwtopo_topology_get_object_by_name(), "this machine" and the hosts of a batch job
 * recognise aliases, too.
 *     file  lines "NAME ALIAS...", as in /etc/hosts (docs/sources.md). NULL: the file in the environment's
 *           AYATORI_ALIASES, or if that is not set, none. The string is copied, and the file is read and checked at load.
 *           Subsets have the aliases of their base; caches and buffers have none.
 * Returns 0 or -1. */
int nwtopo_topology_set_aliases(nwtopo_topology_t topology, const char *file);

/* Sets the machine that counts as this process's own, for programs that run outside of the network.
 *     machine  a host name, or an object id in decimal digits. NULL: the environment's NWTOPO_THIS_MACHINE, or else this
 *              host's name, with or without its domain. In the torus of a Tofu job (tofu:job) the rank says which node
 *              it is, by the batch system's default order of ranks
 * Returns 0 or -1. */
int nwtopo_topology_set_this_machine(nwtopo_topology_t topology, const char *machine);

/* ------------------------------------------------------------------------------------------- inspecting it (A.1.4) */

/* Returns the height of the highest objects; 0 (and errno EINVAL) if the topology is not loaded. */
unsigned nwtopo_topology_get_max_height(nwtopo_topology_t topology);

/* Returns the object with an id. Errors: ENOENT if there is none. */
nwtopo_obj_t nwtopo_topology_get_object_by_id(nwtopo_topology_t topology, unsigned long id);

/* Returns the machine that this process runs on (nwtopo_topology_set_this_machine()).
 * Errors: ENOENT if it is not in the topology; the message has the name. */
nwtopo_obj_t nwtopo_topology_get_this_machine(nwtopo_topology_t topology);

/* Returns a machine or router by its name; a machine also with or without its domain, and by its aliases
 * (nwtopo_topology_set_aliases()). Errors: ENOENT. */
nwtopo_obj_t nwtopo_topology_get_object_by_name(nwtopo_topology_t topology, const char *name);

/* Returns the number of warnings: parts of the source that could not be read and were skipped, so that a part of the
 * network may be missing. Dumps of InfiniBand fabrics, for example, often contain messages of other programs. The warnings
 * of a file of forwarding tables follow those of the source. 0: everything was read. Subsets, caches and buffers have the
 * warnings of the topology that they were made from.
 * Returns 0 (and errno EINVAL) if the topology is not loaded. */
unsigned nwtopo_topology_get_num_warnings(nwtopo_topology_t topology);

/* Returns a warning in one line: the place, and what was skipped there ("fabric.txt:12: skipped, not ...").
 *     index  below nwtopo_topology_get_num_warnings()
 * The string belongs to the topology. Errors: ENOENT (and NULL) for another index. */
const char *nwtopo_topology_get_warning(nwtopo_topology_t topology, unsigned index);

/* Returns the number of objects at a height; 0 above the highest. */
unsigned long nwtopo_topology_get_num_objects(nwtopo_topology_t topology, unsigned height);

/* Returns the index-th object (from 0) of a height by rising id. Height 0 has the machines in network order, in which
 * neighbours usually share a router. Errors: ENOENT for an index beyond the last. */
nwtopo_obj_t nwtopo_topology_get_object(nwtopo_topology_t topology, unsigned height, unsigned long index);

/* Returns the only object at the greatest height: the grid, full or graph object, or a single root router.
 * Errors: ENOENT if there are several, as the spines of a fat tree. */
nwtopo_obj_t nwtopo_topology_get_root(nwtopo_topology_t topology);

/* Returns the index-th parent (from 0, by rising id) that an object has in this topology. It is obj->parents[index],
 * except for machines that a subset shares with its base (REUSE_OBJECTS): their `parents` are the base's.
 * Errors: ENOENT for an index beyond the last. */
nwtopo_obj_t nwtopo_obj_get_parent(nwtopo_topology_t topology, nwtopo_obj_t obj, unsigned index);

/* Creates all children of an object and fills its arrays (children; map; edges). Takes 8 bytes per child, and about 56 more
 * for each new one, or 90 with its name.
 * Returns obj->children. Errors: ENOENT if it has none. */
nwtopo_obj_t *nwtopo_obj_get_children(nwtopo_topology_t topology, nwtopo_obj_t obj);

/* Returns the index-th child (from 0, by rising id), without touching the others.
 * Errors: ENOENT for an index beyond the last. */
nwtopo_obj_t nwtopo_obj_get_child(nwtopo_topology_t topology, nwtopo_obj_t obj, unsigned long index);

/* Memory that a topology takes, in bytes. Address space that was never touched does not count; pages count as a whole.
 * Forwarding tables do not count: they take one byte per router and LID, and a copy of the network. Machines shared by
 * REUSE_OBJECTS, and memory that a subset shares with its base, count at the base, and at the subset once the base is
 * destroyed. */
struct nwtopo_memory {
    size_t fixed;    /* 2048 for every topology: the handle and the description of a regular network */
    size_t private_; /* further memory of this process, for the loaded data and the objects created so far */
    size_t shared;   /* a mapped cache: once per machine, whatever the number of its processes */
};

/* Fills *memory. Returns 0 or -1. */
int nwtopo_topology_get_memory(nwtopo_topology_t topology, struct nwtopo_memory *memory);

#ifdef __cplusplus
}
#endif

#include "nwtopo/grid.h"
#include "nwtopo/links.h"
#include "nwtopo/queries.h"
#include "nwtopo/export.h"

#endif
