/*
 * nwtopo: topologies as files and buffers, and the differences of two. The conventions of nwtopo.h hold.
 */
#ifndef NWTOPO_EXPORT_H
#define NWTOPO_EXPORT_H

#include "../nwtopo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a topology to a file, atomically. Only a cache is complete, except for forwarding tables and aliases. All other
 * formats leave out the cables of faults (nwtopo_topology_set_faults()). GUIDs and LIDs in them are not those of the
 * source.
 *     format  "cache" (the source "cache:FILE" maps it: every process of a machine shares the same pages), "json" (which
 *             "json:FILE" reads back), "dot", "graphml", "svg", "slurm" (topology.conf), "slurm-yaml" (topology.yaml),
 *             "scotch" (target architecture, whose processors are the machines in network order), "simgrid" (platform
 *             XML), "ibnetdiscover" (what that program prints), "ibsim" (net file; the same text)
 *     path    of the file, which is replaced
 * Returns 0, or -1 with EINVAL for an unknown format, or a topology that the format cannot express (the message says
 * why); otherwise errno of the file. */
int nwtopo_topology_export_file(nwtopo_topology_t topology, const char *format, const char *path);

/* Makes a cache in memory. So rank 0 can load the topology and broadcast the bytes, and the others load them by
 * nwtopo_topology_set_buffer(). The bytes are complete, except for forwarding tables and aliases.
 *     bufferp  receives the bytes, for nwtopo_buffer_free(); NULL on failure
 *     sizep    receives their number
 * Returns 0 or -1. */
int nwtopo_topology_export_buffer(nwtopo_topology_t topology, void **bufferp, size_t *sizep);

/* Frees the bytes of nwtopo_topology_export_buffer(). NULL does nothing. */
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

/* Lists the differences from `before` to `after`; objects are matched by name.
 *     diffs  receives an array for nwtopo_diff_free(), objects before links; NULL if there are no differences
 * Returns the number of differences; -1 on error. */
long nwtopo_topology_diff(nwtopo_topology_t before, nwtopo_topology_t after, struct nwtopo_diff **diffs);

/* Frees the array of nwtopo_topology_diff(). NULL does nothing. */
void nwtopo_diff_free(struct nwtopo_diff *diffs);

#ifdef __cplusplus
}
#endif

#endif
