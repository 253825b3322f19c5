/*
 * nwtopo: topologies as files, and what changed between two. Part of nwtopo.h; its conventions hold.
 */
#ifndef NWTOPO_EXPORT_H
#define NWTOPO_EXPORT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a file, whole or not at all. Formats: "cache" (load it with the source "cache:FILE": every process of a node maps
 * the same pages), "json" (which "json:FILE" reads back), "dot", "graphml", "svg", "slurm" (topology.conf),
 * "slurm-yaml" (topology.yaml), "simgrid" (platform XML), "ibsim" (net file). Errors: EINVAL for a format that is not
 * known, or that cannot say what this topology is (the message tells what); errno of the file otherwise. */
int nwtopo_topology_export(nwtopo_topology_t topology, const char *format, const char *path);

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

/* What has to happen to `before` to become `after`; objects are matched by name. Gives the number of differences and, in
 * *diffs, an array of as many for nwtopo_diff_free() (NULL if there are none); -1 on error. */
long nwtopo_topology_diff(nwtopo_topology_t before, nwtopo_topology_t after, struct nwtopo_diff **diffs);

/* NULL does nothing. */
void nwtopo_diff_free(struct nwtopo_diff *diffs);

#ifdef __cplusplus
}
#endif

#endif
