/*
 * nwtopo-cache: writes a topology as a cache file, which every process of a machine maps (docs/cache-format.md).
 *
 *     nwtopo-cache [--physical] [--host-pattern PATTERN] [--faults FAULTS] [SOURCE] FILE
 *
 * Without SOURCE: NWTOPO_SOURCE, or the network that this host is on. All of the system, also within a batch job. Then
 * NWTOPO_SOURCE=cache:FILE, or the source "cache:FILE", opens it.
 */
#include <stdio.h>
#include <string.h>

#include "nwtopo.h"

struct options {
    unsigned long flags;
    const char *host_pattern;
    const char *faults;
    const char *source;
    const char *file;
};

/* Gives 0, or -1 for wrong usage. */
static int parse(int argc, char **argv, struct options *options)
{
    int i;
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--physical") == 0) options->flags |= NWTOPO_TOPOLOGY_FLAG_PHYSICAL_VIEW;
        else if (strcmp(argv[i], "--host-pattern") == 0 && i + 1 < argc) options->host_pattern = argv[++i];
        else if (strcmp(argv[i], "--faults") == 0 && i + 1 < argc) options->faults = argv[++i];
        else if (argv[i][0] == '-' || options->source != NULL) return -1;
        else {
            options->source = options->file;
            options->file = argv[i];
        }
    }
    return options->file == NULL ? -1 : 0;
}

static int write_cache(const struct options *options)
{
    nwtopo_topology_t topology;
    int result;
    if (nwtopo_topology_init(&topology) != 0) return -1;
    result = nwtopo_topology_set_flags(topology, options->flags);
    if (result == 0) result = nwtopo_topology_set_source(topology, options->source);
    if (result == 0) result = nwtopo_topology_set_host_pattern(topology, options->host_pattern);
    if (result == 0) result = nwtopo_topology_set_faults(topology, options->faults);
    if (result == 0) result = nwtopo_topology_load(topology);
    if (result == 0) result = nwtopo_topology_export_file(topology, "cache", options->file);
    if (result == 0) {
        unsigned count = nwtopo_topology_get_num_warnings(topology), i;
        for (i = 0; i < count; i++) {
            fprintf(stderr, "nwtopo-cache: warning: %s\n", nwtopo_topology_get_warning(topology, i));
        }
        printf("%s: %lu machines of %s\n", options->file, nwtopo_topology_get_num_objects(topology, 0),
               nwtopo_topology_get_source(topology));
    }
    nwtopo_topology_destroy(topology);
    return result;
}

int main(int argc, char **argv)
{
    struct options options = {NWTOPO_TOPOLOGY_FLAG_WHOLE_SYSTEM, NULL, NULL, NULL, NULL};
    if (parse(argc, argv, &options) != 0) {
        fprintf(stderr, "usage: nwtopo-cache [--physical] [--host-pattern PATTERN] [--faults FAULTS] [SOURCE] FILE\n");
        return 2;
    }
    if (write_cache(&options) != 0) {
        fprintf(stderr, "error: %s\n", nwtopo_error_message());
        return 1;
    }
    return 0;
}
