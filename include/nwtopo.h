/*
 * nwtopo: the topology of the network between nodes, as hwloc is for the inside of one.
 *
 * A program asks for the topology of the network that it runs on, and gets a tree (or rather a lattice) of objects:
 * machines, routers above them, and virtual objects that say how their children are joined: in a mesh or torus (grid),
 * each to each (full), or by edges that are listed (graph). The interface is that of Kawashima et al., "nwtopo: a general
 * network topology querying API for HPC systems", appendix A.1; what the paper leaves for later is in the topic headers.
 *
 *     nwtopo_topology_t topology;
 *     if (nwtopo_topology_init(&topology) != 0 || nwtopo_topology_load(topology) != 0) {
 *         fprintf(stderr, "%s\n", nwtopo_error_message());
 *     }
 *     nwtopo_obj_t me = nwtopo_topology_get_this_machine(topology);
 *     ...
 *     nwtopo_topology_destroy(topology);
 *
 * Topics
 *     nwtopo.h            handles, sources, objects, walking
 *     nwtopo/grid.h       coordinates in a mesh or torus
 *     nwtopo/links.h      links and ports: bandwidth, latency, state, planes, faults
 *     nwtopo/queries.h    hops, routes, distances, common ancestors, nearest machines, cuts
 *     nwtopo/export.h     caches, files in other programs' formats, differences
 *     nwtopo/hwloc.h      the step inside: a machine's hwloc topology (not included here; needs hwloc.h)
 *
 * Errors. A function that returns int gives 0 when it has done its work and -1 otherwise (or, where said, a count and
 * -1); one that returns a pointer gives NULL. Then errno says which kind of error, and nwtopo_error_message() says in one
 * line what was wrong. Common to all: EINVAL for a NULL argument, an object of another topology, or a topology that is
 * not loaded yet (or is loaded already, in functions that prepare loading); ENOMEM. No function prints, exits or aborts.
 *
 * Ownership. Objects, their arrays and strings belong to the topology and live until it is destroyed. Nothing that a
 * function returns may be freed or written to, except an object's userdata.
 *
 * Threads. Any number of threads may use a loaded topology at the same time. init, set_*, load, shrink (on the new
 * topology) and destroy need it alone.
 */
#ifndef NWTOPO_H
#define NWTOPO_H

#include <stddef.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Raised by every release that adds to the API; see nwtopo_get_api_version(). */
#define NWTOPO_API_VERSION 0x000100

/* The version that the library in use was built as. Within one major number (the upper 16 bits) programs built against
 * an older header run with a newer library. */
unsigned nwtopo_get_api_version(void);

/* What went wrong in this thread's last call that failed, in one line; "" if none has. Never NULL; valid until the
 * thread's next call that fails. */
const char *nwtopo_error_message(void);

/* A handle. */
typedef struct nwtopo_topology *nwtopo_topology_t;

/* ------------------------------------------------------------------------------------------------ objects (A.1.1) */

typedef enum {
    NWTOPO_OBJ_MACHINE, /* a computer: always at height 0 */
    NWTOPO_OBJ_ROUTER,  /* forwards packets: an InfiniBand or Ethernet switch */
    NWTOPO_OBJ_GRID,    /* virtual: its children form a mesh or torus */
    NWTOPO_OBJ_FULL,    /* virtual: each of its children is joined to each other */
    NWTOPO_OBJ_GRAPH,   /* virtual: its children are joined by the edges in its attributes */
    NWTOPO_OBJ_MAX,     /* number of types */
    NWTOPO_OBJ_MESH = NWTOPO_OBJ_GRAPH /* the paper's enum calls a graph so */
} nwtopo_obj_type_t;

/* "machine", "router", "grid", "full", "graph"; NULL and EINVAL for another number. */
const char *nwtopo_obj_type_name(nwtopo_obj_type_t type);

typedef struct nwtopo_obj *nwtopo_obj_t;

/* One object. Objects come to exist when a function first returns them, so that a topology of a million machines costs
 * next to nothing until it is used. An object that exists stays where it is, and has its parents, all the way up.
 *
 * `children` is there at once in topologies of at most NWTOPO_SMALL objects. In larger ones it is NULL until
 * nwtopo_obj_get_children() has been called for the object: code that is to work at any size, or while other threads
 * make that call, makes it itself. With NO_MACHINES it stays NULL where children are machines. num_children is always
 * right. */
struct nwtopo_obj {
    unsigned long id;       /* the same object has the same id in every process and every subset */
    nwtopo_obj_type_t type;
    unsigned height;        /* machines 0, what is above them 1, ... */
    unsigned num_parents;
    unsigned num_children;
    struct nwtopo_obj **parents;   /* num_parents objects by rising id; NULL if there are none */
    struct nwtopo_obj **children;  /* num_children objects by rising id, or NULL: see above */
    union nwtopo_obj_attr_u *attr; /* the member that belongs to `type`; never NULL */
    void *userdata;                /* yours; NULL at first */
};

#define NWTOPO_SMALL 4096

/* An edge of a graph: its children that at least one cable joins. */
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
        char *name; /* as the device or source calls it; NULL with NO_HOSTNAMES, or if nobody does */
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

/* Makes a topology that knows nothing yet: set flags and source, then load. ENOMEM. */
int nwtopo_topology_init(nwtopo_topology_t *topologyp);

/* Finds the topology out, by its source and flags. A topology whose load failed may be prepared anew and loaded again.
 * Errors: ENOENT for a file that is not there, EINVAL for a source or file with a defect (the message names the place),
 * ENODATA when no source was set and none was found, EOVERFLOW for more than 2^31 - 1 objects, EBUSY if it is loaded
 * already. */
int nwtopo_topology_load(nwtopo_topology_t topology);

/* Makes `new_topology` (initialised, not loaded) the subset of `base_topology` (loaded) with these machines, in any
 * order. Ids and heights stay as they are in the base.
 *     routers those on shortest ways between the machines stay, so that distances between machines do not change.
 *     grid    the smallest box around the machines, or around the routers that stay; around the edge of a torus where
 *             that is smaller. A dimension stays periodic if the box has its full length. `dense` says whether every
 *             point of the box has a machine or router.
 *     torus of machines (routers built in): packets travel within the box, also through the points whose machines are
 *             not in the subset. Such a machine is NULL in the links of a route.
 * The array is copied. What nwtopo_topology_set_this_machine() said of the base holds here too, unless it is said anew;
 * a source that was set is not looked at. Errors: EINVAL for num_machines 0, a machine that comes twice, an object that is
 * no machine of the base.
 *
 * With NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS set on new_topology, machine objects are those of the base: the same pointers,
 * with the base's parents and userdata, and no memory of their own. Grid functions go by their topology argument: with
 * new_topology and a machine's parents[0] they speak of the new grid. The objects live until the last topology that shares
 * them is destroyed, so the base may be destroyed first. */
int nwtopo_topology_shrink(nwtopo_topology_t new_topology, nwtopo_topology_t base_topology, unsigned num_machines,
                           nwtopo_obj_t *machines);

/* Ends a topology and its objects, loaded or not. NULL does nothing. A handle that was destroyed is recognised by all
 * functions until it is given out again (256 others are, first), and here ignored; do not count on it. */
void nwtopo_topology_destroy(nwtopo_topology_t topology);

/* ------------------------------------------------------------------------------------------ before loading (A.1.3) */

enum nwtopo_topology_flags_e {
    /* Where the physical and the logical network differ (Tofu's six and three dimensions): the physical one. */
    NWTOPO_TOPOLOGY_FLAG_PHYSICAL_VIEW = (1 << 0),
    /* All of the system. Without it, inside a job of a batch system that names its nodes (SLURM_JOB_NODELIST,
     * PBS_NODEFILE, PJM_O_NODEINF), a topology that was found automatically has only the nodes of the job. */
    NWTOPO_TOPOLOGY_FLAG_WHOLE_SYSTEM = (1 << 1),
    /* No machine objects: shapes and routers only. num_children still tells how many there are. */
    NWTOPO_TOPOLOGY_FLAG_NO_MACHINES = (1 << 2),
    NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES = (1 << 3),
    /* For nwtopo_topology_shrink(). */
    NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS = (1 << 4)
};

unsigned long nwtopo_topology_get_flags(nwtopo_topology_t topology);

/* `flags` is an OR of nwtopo_topology_flags_e; they start as 0. EINVAL for an unknown bit. */
int nwtopo_topology_set_flags(nwtopo_topology_t topology, unsigned long flags);

/* Where the topology comes from: "torus:24x18x16", "ib:live", "ib:FILE", "slurm:FILE", "cache:FILE", ... (docs/sources.md
 * lists them). NULL: the environment's NWTOPO_SOURCE, or, if that is not set, whichever is found first: Tofu (a job of its
 * batch system), InfiniBand (an active port), Slurm (its topology file). The string is copied, and checked at load. */
int nwtopo_topology_set_source(nwtopo_topology_t topology, const char *source);

/* The source that was set, or after loading the one that was taken; NULL if there is none. */
const char *nwtopo_topology_get_source(nwtopo_topology_t topology);

/* Which machine this process runs on: a host name, or an object id in decimal digits. NULL: the environment's
 * NWTOPO_THIS_MACHINE, or else this host's name, also without its domain. For whoever looks from outside of the network. */
int nwtopo_topology_set_this_machine(nwtopo_topology_t topology, const char *machine);

/* ------------------------------------------------------------------------------------------- looking at it (A.1.4) */

/* Height of the highest objects; 0 (and errno EINVAL) if the topology is not loaded. */
unsigned nwtopo_topology_get_max_height(nwtopo_topology_t topology);

/* NULL and ENOENT if there is none. */
nwtopo_obj_t nwtopo_topology_get_object_by_id(nwtopo_topology_t topology, unsigned long id);

/* NULL and ENOENT if this machine is not in the topology: the message says which name was looked for. */
nwtopo_obj_t nwtopo_topology_get_this_machine(nwtopo_topology_t topology);

/* A machine or router by its name; machines also without their domain. NULL and ENOENT. */
nwtopo_obj_t nwtopo_topology_get_object_by_name(nwtopo_topology_t topology, const char *name);

/* Objects of one height, and the index-th of them by rising id: height 0 gives the machines in network order, neighbours
 * in which share a router. 0, or NULL and ENOENT, beyond the last. */
unsigned long nwtopo_topology_get_num_objects(nwtopo_topology_t topology, unsigned height);
nwtopo_obj_t nwtopo_topology_get_object(nwtopo_topology_t topology, unsigned height, unsigned long index);

/* The object above all others: the grid, full or graph object, or a single root router. NULL and ENOENT where several
 * share the highest place, as the spines of a fat tree do. */
nwtopo_obj_t nwtopo_topology_get_root(nwtopo_topology_t topology);

/* Makes all children of an object exist and fills its arrays (children; map; edges). Gives obj->children, NULL and ENOENT
 * if it has none. Takes 8 bytes a child and 56 for each that did not exist. */
nwtopo_obj_t *nwtopo_obj_get_children(nwtopo_topology_t topology, nwtopo_obj_t obj);

/* The index-th child, without touching the others. NULL and ENOENT beyond the last. */
nwtopo_obj_t nwtopo_obj_get_child(nwtopo_topology_t topology, nwtopo_obj_t obj, unsigned long index);

/* Memory that the topology takes, in bytes. Address space that was never touched does not count; pages count as a whole.
 * Machines shared by REUSE_OBJECTS count where they come from, and once that is destroyed, where they are left. */
struct nwtopo_memory {
    size_t fixed;    /* 2048, the same for every topology: the handle and what describes a regular network fit into it */
    size_t private_; /* what load and the objects that exist by now take in this process beyond that */
    size_t shared;   /* a mapped cache: once a node, whatever the number of processes */
};
int nwtopo_topology_get_memory(nwtopo_topology_t topology, struct nwtopo_memory *memory);

#ifdef __cplusplus
}
#endif

#include "nwtopo/grid.h"
#include "nwtopo/links.h"
#include "nwtopo/queries.h"
#include "nwtopo/export.h"

#endif
