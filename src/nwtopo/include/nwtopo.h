/*
 * nwtopo: the topology of the network between machines, as hwloc shows the inside of one.
 *
 * A program asks for the topology of the network that it runs on, and gets a tree (or rather a lattice) of objects:
 * machines, routers above them, and virtual objects that say how their children are joined: in a mesh or torus (grid),
 * each to each (full), or by edges that are listed (graph). The interface is that of Kawashima et al., "nwtopo: a general
 * network topology querying API for HPC systems", appendix A.1; what the paper leaves for later is in the topic headers.
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
 *     nwtopo/hwloc.h      the step inside: a machine's hwloc topology (not included here; needs hwloc.h)
 *
 * Errors. A function that returns int returns 0 when it has done its work and -1 otherwise (or, where said, a count and
 * -1); one that returns a pointer returns NULL on failure. Then errno says which kind of error, and
 * nwtopo_error_message() says in one line what was wrong. Common to all functions, and not repeated below: EINVAL for a
 * NULL argument (but where NULL is said to be right), an object of another topology, or a topology that is not loaded yet;
 * EBUSY for a topology that is loaded already, in functions that load or prepare loading; ENOENT where a machine that
 * NO_MACHINES left out would be returned; ENOMEM. No function prints, exits or aborts.
 *
 * Ownership. Objects, their arrays and strings belong to the topology and live until it is destroyed. Nothing that a
 * function returns may be freed or written to, except an object's userdata, and what a *_free() function is for.
 *
 * Threads. Any number of threads may use a loaded topology at the same time. init, set_*, load, shrink (on the new
 * topology) and destroy need it alone.
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

/* Returns what went wrong in this thread's last call that failed, in one line; "" if none has. Never NULL; valid until
 * the thread's next call that fails. */
const char *nwtopo_error_message(void);

/* A topology, from nwtopo_topology_init() to nwtopo_topology_destroy(). */
typedef struct nwtopo_topology *nwtopo_topology_t;

/* ------------------------------------------------------------------------------------------------ objects (A.1.1) */

typedef enum {
    NWTOPO_OBJ_MACHINE, /* a computer: always at height 0 */
    NWTOPO_OBJ_ROUTER,  /* forwards packets: an InfiniBand or Ethernet switch */
    NWTOPO_OBJ_GRID,    /* virtual: its children form a mesh or torus */
    NWTOPO_OBJ_FULL,    /* virtual: each of its children is joined to each other: routers, or (dragonfly) groups of them */
    NWTOPO_OBJ_GRAPH,   /* virtual: its children are joined by the edges in its attributes */
    NWTOPO_OBJ_MAX,     /* number of types */
    NWTOPO_OBJ_MESH = NWTOPO_OBJ_GRAPH /* the paper's enum calls a graph so */
} nwtopo_obj_type_t;

/* Returns the word for an object type: "machine", "router", "grid", "full", "graph".
 * Errors: EINVAL (and NULL) for another number. */
const char *nwtopo_obj_type_name(nwtopo_obj_type_t type);

typedef struct nwtopo_obj *nwtopo_obj_t;

/* One object. Objects come to exist when a function first returns them, so that a topology of a million machines costs
 * next to nothing until it is used. An object that exists stays where it is, and its parents exist, all the way up.
 *
 * `children` is filled when a topology of at most NWTOPO_SMALL objects is loaded, but for grids of more than 65,536
 * points. Elsewhere it is NULL until nwtopo_obj_get_children() has been called for the object: code that is to work at any
 * size, or while other threads make that call, makes it itself. With NO_MACHINES it stays NULL where children are machines.
 * num_children is always right.
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
        char *hostname; /* NULL with NO_HOSTNAMES, or if the source does not tell it */
        unsigned num_nics;
    } machine;
    struct {
        char *name; /* as the device or source calls it; NULL with NO_HOSTNAMES, or if the source does not tell it */
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

/* Makes a topology that knows nothing yet: set flags and a source, then load it.
 *     topologyp  receives the handle, to be ended by nwtopo_topology_destroy(); NULL on failure
 * Returns 0, or -1 with ENOMEM. */
int nwtopo_topology_init(nwtopo_topology_t *topologyp);

/* Discovers the topology by its source and flags. A topology whose load failed may be prepared anew and loaded again.
 * Returns 0, or -1 with
 *     ENOENT     a file that is not there
 *     EINVAL     a source or file with a defect (the message names the place)
 *     ENODATA    no source was set and none was found
 *     EOVERFLOW  more than 2^31 - 1 objects; 2^24 machines and routers, but for a torus or mesh of machines
 * and the errno of a file that cannot be read. */
int nwtopo_topology_load(nwtopo_topology_t topology);

/* Makes a subset of a topology: some of its machines, and the network between them. Ids and heights stay as they are in
 * the base.
 *     routers those on shortest ways between the machines stay, so that distances between machines do not change.
 *     grid    the smallest box around the machines, or around the routers that stay; around the edge of a torus where
 *             that is smaller. A dimension stays periodic if the box has its full length. `dense` says whether every
 *             point of the box has a machine or router.
 *     torus or mesh of machines (routers built in): packets travel within the box, also through the points whose machines
 *             are not in the subset. Such a machine is NULL in the links of a route.
 *     other networks of machines without routers: packets also travel through machines outside of the subset that are on
 *             a shortest way between two of its machines; they are NULL likewise. Where all machines are cabled to each
 *             other there are none.
 *
 *     new_topology   initialised, and not loaded; a source, buffer, host pattern or aliases that were set are not looked at. What
 *                    nwtopo_topology_set_this_machine() said of the base holds here too, unless it is said anew. The base's
 *                    forwarding tables hold, and no others can be set.
 *     base_topology  loaded; may be destroyed before the subset is
 *     num_machines   at least 1
 *     machines       num_machines machines of the base, each once, in any order; the array is copied
 *
 * With NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS set on new_topology, machine objects are those of the base: the same pointers,
 * with the base's userdata, and no memory of their own. They keep the base's `parents`, too: the subset's are returned by
 * nwtopo_obj_get_parent(new_topology, ...). Grid functions go by their topology argument: with new_topology and either
 * parent they speak of the new grid. The objects live until the last topology that shares them is destroyed.
 *
 * Returns 0, or -1 with EINVAL for num_machines 0, a machine that comes twice, an object that is not a machine of the
 * base, faults that the subset does not have, forwarding tables that were set on new_topology. If it fails, new_topology is as it was. */
int nwtopo_topology_shrink(nwtopo_topology_t new_topology, nwtopo_topology_t base_topology, unsigned num_machines,
                           nwtopo_obj_t *machines);

/* Ends a topology and its objects, loaded or not. NULL does nothing. A handle that was destroyed is recognised by all
 * functions (EINVAL), and ignored here, until it is given out again, which happens after 256 others at the earliest; do
 * not count on it. */
void nwtopo_topology_destroy(nwtopo_topology_t topology);

/* ------------------------------------------------------------------------------------------ before loading (A.1.3) */

enum nwtopo_topology_flags_e {
    /* Where the physical and the logical network differ (Tofu's six and three dimensions): the physical one. */
    NWTOPO_TOPOLOGY_FLAG_PHYSICAL_VIEW = (1 << 0),
    /* All of the system. Without it, inside a job of a batch system that names its machines (SLURM_JOB_NODELIST,
     * PBS_NODEFILE, PJM_O_NODEINF), a topology that was found automatically has only the machines of the job. */
    NWTOPO_TOPOLOGY_FLAG_WHOLE_SYSTEM = (1 << 1),
    /* No machine objects: shapes and routers only. num_children still tells how many machines there are. */
    NWTOPO_TOPOLOGY_FLAG_NO_MACHINES = (1 << 2),
    /* No names of machines and routers. */
    NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES = (1 << 3),
    /* For nwtopo_topology_shrink(): machine objects of the base. */
    NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS = (1 << 4),
    /* Only the machines of the batch job that this process runs in, also where the source was named. Outside of a job:
     * all machines. Excludes WHOLE_SYSTEM. */
    NWTOPO_TOPOLOGY_FLAG_THIS_JOB = (1 << 5)
};

/* Returns the flags of a topology; 0 (and errno EINVAL) if it is not a topology. */
unsigned long nwtopo_topology_get_flags(nwtopo_topology_t topology);

/* Sets the flags, an OR of nwtopo_topology_flags_e; they start as 0.
 * Returns 0, or -1 with EINVAL for an unknown bit, or two flags that exclude each other. */
int nwtopo_topology_set_flags(nwtopo_topology_t topology, unsigned long flags);

/* Sets where the topology comes from.
 *     source  "torus:24x18x16", "ib:live", "ib:FILE", "slurm:FILE", "cache:FILE", ... (docs/sources.md lists them), or a
 *             file or folder whose content tells its kind, which nwtopo_topology_get_source() has after loading. NULL:
 *             the environment's NWTOPO_SOURCE, or, if that is not set, whichever is found first: Tofu (a job of its batch
 *             system), InfiniBand (an active port), Slurm (its topology file). The string is copied, and checked at load.
 * Returns 0 or -1. Takes back nwtopo_topology_set_buffer(). */
int nwtopo_topology_set_source(nwtopo_topology_t topology, const char *source);

/* Returns the source that was set, or after loading the one that was taken ("buffer" for a buffer); NULL if there is none
 * yet. */
const char *nwtopo_topology_get_source(nwtopo_topology_t topology);

/* Sets the bytes that nwtopo_topology_export_buffer() made, in this process or another, as the source: rank 0 loads the
 * topology and broadcasts it.
 *     buffer  at any address; must stay as it is until nwtopo_topology_load() has returned, which copies and checks it.
 *             NULL: none; a source that was set stays
 *     size    in bytes; 0 for NULL
 * Returns 0, or -1 with EINVAL for NULL with a size. A buffer takes back nwtopo_topology_set_source(). */
int nwtopo_topology_set_buffer(nwtopo_topology_t topology, const void *buffer, size_t size);

/* Sets how host names are read off what InfiniBand devices say of themselves (their node descriptions).
 *     pattern  an extended regular expression of POSIX, in which \d, \w and \s may stand, whose first group is the host
 *              name and whose second group, if any, is the device, such as "^(\\S+) (mlx5_\\d+)". NULL: the built-in rules
 *              (docs/sources.md). The string is copied, and checked at load.
 * Returns 0 or -1. */
int nwtopo_topology_set_host_pattern(nwtopo_topology_t topology, const char *pattern);

/* Sets a file of other names of machines, by which nwtopo_topology_get_object_by_name(), "this machine" and the hosts of a
 * batch job are found, too.
 *     file  lines "NAME OTHER...", as /etc/hosts has them (docs/sources.md). NULL: the one that the environment's
 *           AYATORI_ALIASES names, or if that is not set, none. The string is copied, and the file is read and checked at
 *           load. Subsets have the names of their base; caches and buffers have none.
 * Returns 0 or -1. */
int nwtopo_topology_set_aliases(nwtopo_topology_t topology, const char *file);

/* Sets which machine this process runs on, for whoever looks at a network from outside.
 *     machine  a host name, or an object id in decimal digits. NULL: the environment's NWTOPO_THIS_MACHINE, or else this
 *              host's name, with or without its domain
 * Returns 0 or -1. */
int nwtopo_topology_set_this_machine(nwtopo_topology_t topology, const char *machine);

/* ------------------------------------------------------------------------------------------- looking at it (A.1.4) */

/* Returns the height of the highest objects; 0 (and errno EINVAL) if the topology is not loaded. */
unsigned nwtopo_topology_get_max_height(nwtopo_topology_t topology);

/* Returns the object with an id. Errors: ENOENT if there is none. */
nwtopo_obj_t nwtopo_topology_get_object_by_id(nwtopo_topology_t topology, unsigned long id);

/* Returns the machine that this process runs on (nwtopo_topology_set_this_machine()).
 * Errors: ENOENT if it is not in the topology; the message says which name was looked for. */
nwtopo_obj_t nwtopo_topology_get_this_machine(nwtopo_topology_t topology);

/* Returns a machine or router by its name; a machine also by its name without the domain, or with one, and by its other
 * names (nwtopo_topology_set_aliases()). Errors: ENOENT. */
nwtopo_obj_t nwtopo_topology_get_object_by_name(nwtopo_topology_t topology, const char *name);

/* Returns the number of warnings of a topology: of what its source could not read and left out, so that a part of the
 * network may be missing. Dumps of InfiniBand fabrics, for example, often have messages of the programs that made them
 * between their lines. The warnings of a file of forwarding tables follow those of the source. 0: all was read. Subsets,
 * caches and buffers have the warnings of the topology that they were made from.
 * Returns 0 (and errno EINVAL) if the topology is not loaded. */
unsigned nwtopo_topology_get_num_warnings(nwtopo_topology_t topology);

/* Returns a warning in one line: the place, and what was skipped there ("fabric.txt:12: skipped, not ...").
 *     index  below nwtopo_topology_get_num_warnings()
 * The string belongs to the topology. Errors: ENOENT (and NULL) for another index. */
const char *nwtopo_topology_get_warning(nwtopo_topology_t topology, unsigned index);

/* Returns the number of objects at a height; 0 above the highest. */
unsigned long nwtopo_topology_get_num_objects(nwtopo_topology_t topology, unsigned height);

/* Returns the index-th object (from 0) of a height by rising id. Height 0 has the machines in network order: neighbors
 * in it share a router. Errors: ENOENT for an index beyond the last. */
nwtopo_obj_t nwtopo_topology_get_object(nwtopo_topology_t topology, unsigned height, unsigned long index);

/* Returns the object above all others: the grid, full or graph object, or a single root router.
 * Errors: ENOENT where several share the highest place, as the spines of a fat tree do. */
nwtopo_obj_t nwtopo_topology_get_root(nwtopo_topology_t topology);

/* Returns the index-th parent (from 0, by rising id) that an object has in this topology. It is obj->parents[index], but
 * for machines that a subset shares with its base (REUSE_OBJECTS): their `parents` are the base's.
 * Errors: ENOENT for an index beyond the last. */
nwtopo_obj_t nwtopo_obj_get_parent(nwtopo_topology_t topology, nwtopo_obj_t obj, unsigned index);

/* Makes all children of an object exist and fills its arrays (children; map; edges). Takes 8 bytes a child, and for each
 * that did not exist 56, or some 90 with its name.
 * Returns obj->children. Errors: ENOENT if it has none. */
nwtopo_obj_t *nwtopo_obj_get_children(nwtopo_topology_t topology, nwtopo_obj_t obj);

/* Returns the index-th child (from 0, by rising id), without touching the others.
 * Errors: ENOENT for an index beyond the last. */
nwtopo_obj_t nwtopo_obj_get_child(nwtopo_topology_t topology, nwtopo_obj_t obj, unsigned long index);

/* Memory that a topology takes, in bytes. Address space that was never touched does not count; pages count as a whole.
 * Forwarding tables do not count: they take a byte for each router and LID, beside a copy of the network.
 * Machines shared by REUSE_OBJECTS, and what a subset reads of its base, count at the base, and once that is destroyed, at
 * the subset. */
struct nwtopo_memory {
    size_t fixed;    /* 2048, the same for every topology: the handle and what describes a regular network fit into it */
    size_t private_; /* what load and the objects that exist by now take in this process beyond that */
    size_t shared;   /* a mapped cache: once a machine, whatever the number of its processes */
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
