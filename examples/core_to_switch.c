/*
 * From a core to the switches: hwloc shows the way to the edge of the node, nwtopo from there on.
 *
 *     core_to_switch [SOURCE [MACHINE]]
 *
 * MACHINE is the name by which the network knows this host, if that is another one.
 */
#include <stdio.h>

#include "nwtopo/hwloc.h"

static int fail(const char *what)
{
    fprintf(stderr, "core_to_switch: %s\n", what);
    return 1;
}

static void print_inside(hwloc_topology_t node)
{
    char type[64];
    hwloc_obj_t core = hwloc_get_obj_by_type(node, HWLOC_OBJ_CORE, 0), obj, nic;
    if (core == NULL) core = hwloc_get_obj_by_type(node, HWLOC_OBJ_PU, 0);
    for (obj = core; obj != NULL; obj = obj->parent) {
        hwloc_obj_type_snprintf(type, sizeof type, obj, 0);
        printf("  %s\n", type);
    }
    nic = nwtopo_hwloc_get_nic_near(node, core);
    printf("  nearest NIC: %s\n", nic != NULL ? nic->name : "hwloc sees none");
}

static void print_outside(nwtopo_topology_t topology, nwtopo_obj_t machine)
{
    nwtopo_obj_t obj;
    printf("%s\n", machine->attr->machine.hostname);
    for (obj = machine; obj->num_parents > 0; obj = obj->parents[0]) {
        nwtopo_obj_t above = obj->parents[0];
        const char *name = above->type == NWTOPO_OBJ_ROUTER ? above->attr->router.name : NULL;
        long machines = nwtopo_get_machines_under(topology, above, 0, NULL);
        printf("  %s %s: %ld machines below", nwtopo_obj_type_name(above->type), name != NULL ? name : "", machines);
        if (obj->num_parents > 1) printf(", one of %u", obj->num_parents);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    nwtopo_topology_t topology;
    hwloc_topology_t node;
    nwtopo_obj_t me;
    if (nwtopo_topology_init(&topology) != 0 || nwtopo_topology_set_source(topology, argc > 1 ? argv[1] : NULL) != 0 ||
        nwtopo_topology_set_this_machine(topology, argc > 2 ? argv[2] : NULL) != 0 ||
        nwtopo_topology_load(topology) != 0) {
        return fail(nwtopo_error_message());
    }
    me = nwtopo_topology_get_this_machine(topology);
    if (me == NULL) return fail(nwtopo_error_message());
    if (nwtopo_hwloc_load(topology, me, NULL, &node) != 0) return fail("hwloc can't see this node");
    if (nwtopo_hwloc_get_machine(topology, node) != me) return fail("hwloc and nwtopo disagree on who we are");
    print_inside(node);
    print_outside(topology, me);
    hwloc_topology_destroy(node);
    nwtopo_topology_destroy(topology);
    return 0;
}
