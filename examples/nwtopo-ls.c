/*
 * nwtopo-ls: what network is this? One line an object with its id, children below their parents, as lstopo shows the
 * inside of a machine.
 *
 *     nwtopo-ls [--physical] [--links] [--all] [--this-machine NAME] [SOURCE]
 *
 * Without SOURCE: NWTOPO_SOURCE, or the network that this host is on. Of many children only some are shown unless --all.
 */
#include <stdio.h>
#include <string.h>

#include "nwtopo.h"

#define SHOWN 4

struct options {
    bool links;
    bool all;
    unsigned long flags;
    const char *source;
    const char *this_machine;
};

static void indent(unsigned depth)
{
    printf("%*s", (int)(2 * depth), "");
}

static void print_grid(const union nwtopo_obj_attr_u *attr)
{
    unsigned i;
    for (i = 0; i < attr->grid.num_dimensions; i++) {
        printf("%s%u%s", i ? " x " : " ", attr->grid.dimensions[i], attr->grid.periodicities[i] ? "" : " (open)");
    }
    if (!attr->grid.dense) printf(", with holes");
}

static void print_obj(nwtopo_topology_t topology, nwtopo_obj_t obj)
{
    printf("%s#%lu", nwtopo_obj_type_name(obj->type), obj->id);
    switch (obj->type) {
    case NWTOPO_OBJ_MACHINE:
        if (obj->attr->machine.hostname) printf(" %s", obj->attr->machine.hostname);
        if (obj->attr->machine.num_nics != 1) printf(", %u NICs", obj->attr->machine.num_nics);
        break;
    case NWTOPO_OBJ_ROUTER:
        if (obj->attr->router.name) printf(" %s", obj->attr->router.name);
        break;
    case NWTOPO_OBJ_GRID:
        print_grid(obj->attr);
        break;
    case NWTOPO_OBJ_GRAPH:
        nwtopo_obj_get_children(topology, obj);
        printf(", %u edges", obj->attr->graph.num_edges);
        break;
    default:
        break;
    }
    if (obj->num_children) printf(", %u children", obj->num_children);
    if (obj->num_parents > 1) printf(", %u parents", obj->num_parents);
    printf("\n");
}

static int print_links(nwtopo_topology_t topology, nwtopo_obj_t obj, unsigned depth)
{
    long links = nwtopo_obj_get_num_links(topology, obj), i;
    for (i = 0; i < links; i++) {
        struct nwtopo_link link;
        if (nwtopo_obj_get_link(topology, obj, (unsigned long)i, &link) != 0) return -1;
        indent(depth + 1);
        printf("%s%sport %u -> %s#%lu %s%sport %u", link.from_device ? link.from_device : "",
               link.from_device ? " " : "", link.from_port, nwtopo_obj_type_name(link.to->type), link.to->id,
               link.to_device ? link.to_device : "", link.to_device ? " " : "", link.to_port);
        if (link.bandwidth > 0) printf(", %.2f GB/s", link.bandwidth / 1e9);
        if (link.latency > 0) printf(", %.0f ns", link.latency * 1e9);
        printf("%s%s\n", link.degraded ? ", degraded" : "", link.state == NWTOPO_LINK_UP ? "" : ", taken out");
    }
    return links < 0 ? -1 : 0;
}

/* An object with several parents is shown under the first of them only. */
static int print_tree(nwtopo_topology_t topology, nwtopo_obj_t obj, unsigned depth, const struct options *options)
{
    unsigned i, shown = 0, elsewhere = 0, left_out = 0;
    indent(depth);
    print_obj(topology, obj);
    if (options->links && print_links(topology, obj, depth) != 0) return -1;
    for (i = 0; i < obj->num_children; i++) {
        nwtopo_obj_t child = nwtopo_obj_get_child(topology, obj, i);
        if (child == NULL) return -1;
        if (child->parents[0] != obj) elsewhere++;
        else if (!options->all && shown == SHOWN) left_out++;
        else {
            shown++;
            if (print_tree(topology, child, depth + 1, options) != 0) return -1;
        }
    }
    if (left_out > 0) {
        indent(depth + 1);
        printf("... %u more\n", left_out);
    }
    if (elsewhere > 0) {
        indent(depth + 1);
        printf("... %u shown under another parent\n", elsewhere);
    }
    return 0;
}

/* Everything that nothing stands above. */
static int print_all(nwtopo_topology_t topology, const struct options *options)
{
    unsigned height = nwtopo_topology_get_max_height(topology) + 1;
    while (height-- > 0) {
        unsigned long count = nwtopo_topology_get_num_objects(topology, height), i;
        for (i = 0; i < count; i++) {
            nwtopo_obj_t obj = nwtopo_topology_get_object(topology, height, i);
            if (obj == NULL) return -1;
            if (obj->num_parents == 0 && print_tree(topology, obj, 0, options) != 0) return -1;
            if (height == 0 && obj->num_parents > 0 && !options->all) return 0; /* few are loose, if any */
        }
    }
    return 0;
}

/* What the source could not read: a part of the network may be missing. */
static void print_warnings(nwtopo_topology_t topology)
{
    unsigned count = nwtopo_topology_get_num_warnings(topology), i;
    for (i = 0; i < count; i++) fprintf(stderr, "nwtopo-ls: warning: %s\n", nwtopo_topology_get_warning(topology, i));
}

static int run(const struct options *options)
{
    nwtopo_topology_t topology;
    int result;
    if (nwtopo_topology_init(&topology) != 0) return -1;
    result = nwtopo_topology_set_flags(topology, options->flags);
    if (result == 0) result = nwtopo_topology_set_source(topology, options->source);
    if (result == 0) result = nwtopo_topology_set_this_machine(topology, options->this_machine);
    if (result == 0) result = nwtopo_topology_load(topology);
    if (result == 0) {
        nwtopo_obj_t me = nwtopo_topology_get_this_machine(topology);
        print_warnings(topology);
        printf("%s: %lu machines, height %u\n", nwtopo_topology_get_source(topology),
               nwtopo_topology_get_num_objects(topology, 0), nwtopo_topology_get_max_height(topology));
        if (me != NULL) {
            printf("this machine: ");
            print_obj(topology, me);
        } else if (options->this_machine != NULL) {
            result = -1;
        }
        if (result == 0) result = print_all(topology, options);
    }
    nwtopo_topology_destroy(topology);
    return result;
}

int main(int argc, char **argv)
{
    struct options options = {false, false, NWTOPO_TOPOLOGY_FLAG_WHOLE_SYSTEM, NULL, NULL};
    int i;
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--links") == 0) options.links = true;
        else if (strcmp(argv[i], "--all") == 0) options.all = true;
        else if (strcmp(argv[i], "--physical") == 0) options.flags |= NWTOPO_TOPOLOGY_FLAG_PHYSICAL_VIEW;
        else if (strcmp(argv[i], "--this-machine") == 0 && i + 1 < argc) options.this_machine = argv[++i];
        else if (argv[i][0] != '-' && options.source == NULL) options.source = argv[i];
        else {
            fprintf(stderr, "usage: nwtopo-ls [--physical] [--links] [--all] [--this-machine NAME] [SOURCE]\n");
            return 2;
        }
    }
    if (run(&options) != 0) {
        fprintf(stderr, "error: %s\n", nwtopo_error_message());
        return 1;
    }
    return 0;
}
