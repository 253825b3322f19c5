/*
 * nwtopo: topologies as files and buffers, and what changed between two. The conventions of nwtopo.h hold.
 */
#ifndef NWTOPO_EXPORT_H
#define NWTOPO_EXPORT_H

#include "../nwtopo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a topology as a file, whole or not at all. Only a cache says everything that the topology does, but for
 * forwarding tables and other names. All others leave out links that were taken out (nwtopo_topology_set_faults()), as if
 * there were no cable, and where their format has GUIDs and LIDs, these are not those of the source.
 *     format  "cache" (the source "cache:FILE" maps it: every process of a machine shares the same pages), "json" (which
 *             "json:FILE" reads back), "dot", "graphml", "svg", "slurm" (topology.conf), "slurm-yaml" (topology.yaml),
 *             "scotch" (target architecture, whose processors are the machines in network order), "simgrid" (platform
 *             XML), "ibnetdiscover" (what that program prints), "ibsim" (net file; the same text)
 *     path    of the file, which is replaced
 * Returns 0, or -1 with EINVAL for a format that is not known, or that cannot say what this topology is (the message tells
 * what); otherwise errno of the file. */
int nwtopo_topology_export_file(nwtopo_topology_t topology, const char *format, const char *path);

/* Makes the bytes of a cache in memory: rank 0 loads the topology, broadcasts the bytes, and the others load them by
 * nwtopo_topology_set_buffer(). They say everything that the topology does, but for forwarding
 * tables and other names.
 *     bufferp  receives the bytes, for nwtopo_buffer_free(); NULL on failure
 *     sizep    receives their number
 * Returns 0 or -1. */
int nwtopo_topology_export_buffer(nwtopo_topology_t topology, void **bufferp, size_t *sizep);

/* Frees what nwtopo_topology_export_buffer() gave. NULL does nothing. */
void nwtopo_buffer_free(void *buffer);

typedef enum {
    NWTOPO_DIFF_ADDED,
    NWTOPO_DIFF_REMOVED,
    NWTOPO_DIFF_CHANGED
} nwtopo_diff_type_t;

struct nwtopo_diff {
    nwtopo_diff_type_t type;
    bool is_link;       /* a cable; otherwise an object */
    const char *name;   /* "LS1", or "LS1 port 8 - RS2 port 2" */
    const char *detail; /* of a change: "4xHDR -> 4xNDR"; "" otherwise */
};

/* Finds what has to happen to `before` to become `after`; objects are matched by name.
 *     diffs  receives an array for nwtopo_diff_free(), objects before links; NULL if there are no differences
 * Returns the number of differences; -1 on error. */
long nwtopo_topology_diff(nwtopo_topology_t before, nwtopo_topology_t after, struct nwtopo_diff **diffs);

/* Frees what nwtopo_topology_diff() gave. NULL does nothing. */
void nwtopo_diff_free(struct nwtopo_diff *diffs);

#ifdef __cplusplus
}
#endif

#endif
