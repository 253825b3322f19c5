/*
 * nwtopo and hwloc: the network between machines, and the inside of a machine. Header only: include it where hwloc.h is
 * installed, and link with -lnwtopo -lhwloc. The conventions of nwtopo.h hold, but nwtopo_error_message() describes
 * errors of nwtopo alone. For errors of hwloc there is only errno.
 *
 *     core --hwloc--> package --hwloc--> NIC | machine --nwtopo--> leaf switch --nwtopo--> spine
 */
#ifndef NWTOPO_HWLOC_H
#define NWTOPO_HWLOC_H

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>

#include "nwtopo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the machine that an hwloc topology describes: by the host name in it, or, if it describes the host of this process,
 * this machine.
 *     node  a loaded hwloc topology
 * Returns the machine; NULL with ENOENT if the network does not have it. */
static inline nwtopo_obj_t nwtopo_hwloc_get_machine(nwtopo_topology_t topology, hwloc_topology_t node)
{
    const char *name = node != NULL ? hwloc_obj_get_info_by_name(hwloc_get_root_obj(node), "HostName") : NULL;
    nwtopo_obj_t found = name != NULL ? nwtopo_topology_get_object_by_name(topology, name) : NULL;
    if (node == NULL || (name != NULL && found == NULL && errno == EINVAL)) {
        errno = EINVAL;
        return NULL;
    }
    if (found != NULL && found->type == NWTOPO_OBJ_MACHINE) return found;
    if (hwloc_topology_is_thissystem(node)) return nwtopo_topology_get_this_machine(topology);
    errno = ENOENT;
    return NULL;
}

/* Loads the inside of a machine with its I/O devices: of this machine live, of another from FOLDER/HOSTNAME.xml, as
 * `lstopo HOSTNAME.xml` writes it.
 *     machine  of the network
 *     folder   of the XML files; NULL: none, so that only this machine can be loaded
 *     node     receives the hwloc topology, to be ended by hwloc_topology_destroy(); NULL on failure
 * Returns 0, or -1 with EINVAL for an object that is not a machine, ENOENT if the file does not exist, or else with
 * hwloc's errno. */
static inline int nwtopo_hwloc_load(nwtopo_topology_t topology, nwtopo_obj_t machine, const char *folder,
                                    hwloc_topology_t *node)
{
    char path[4096];
    struct nwtopo_nic nic;
    const char *name;
    int elsewhere, length, error;
    if (node == NULL) {
        errno = EINVAL;
        return -1;
    }
    *node = NULL;
    /* Refuses whatever is not a machine of this topology, and says so. A machine without a NIC is one. */
    if (nwtopo_obj_get_nic(topology, machine, 0, &nic) != 0 && errno != ENOENT) return -1;
    name = machine->attr->machine.hostname;
    elsewhere = machine != nwtopo_topology_get_this_machine(topology);
    length = elsewhere && folder != NULL && name != NULL ? snprintf(path, sizeof path, "%s/%s.xml", folder, name) : 0;
    if (elsewhere && (length <= 0 || (size_t)length >= sizeof path)) {
        errno = ENOENT;
        return -1;
    }
    if (hwloc_topology_init(node) != 0) return -1;
    if (hwloc_topology_set_io_types_filter(*node, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) == 0 &&
        (!elsewhere || hwloc_topology_set_xml(*node, path) == 0) && hwloc_topology_load(*node) == 0) {
        return 0;
    }
    error = errno;
    hwloc_topology_destroy(*node);
    *node = NULL;
    errno = error;
    return -1;
}

/* Returns the nearest ancestor of an object among packages, caches and cores, or the object if it is one of them. I/O
 * devices, memory and Misc objects are attached to those. They have negative depths, which hwloc_get_common_ancestor_obj()
 * does not accept. */
static inline hwloc_obj_t nwtopo_hwloc_get_core_side_obj(hwloc_obj_t obj)
{
    while (obj->depth < 0) obj = obj->parent;
    return obj;
}

/* Finds the network device that is nearest to an object of a machine, such as a core: the one with the lowest common
 * ancestor; of several a verbs device ("mlx5_0") rather than an IP interface ("eth0").
 *     node  a loaded hwloc topology
 *     near  an object of it; memory (a NUMA node) and devices count as the object that they are attached to
 * Returns the device. Errors: ENOENT if hwloc knows none. */
static inline hwloc_obj_t nwtopo_hwloc_get_nic_near(hwloc_topology_t node, hwloc_obj_t near)
{
    hwloc_obj_t best = NULL, device = NULL;
    int best_depth = -1;
    if (node == NULL || near == NULL) {
        errno = EINVAL;
        return NULL;
    }
    near = nwtopo_hwloc_get_core_side_obj(near);
    while ((device = hwloc_get_next_osdev(node, device)) != NULL) {
        hwloc_obj_t host = nwtopo_hwloc_get_core_side_obj(device);
        int verbs = device->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS;
        int depth;
        if (!verbs && device->attr->osdev.type != HWLOC_OBJ_OSDEV_NETWORK) continue;
        depth = 2 * hwloc_get_common_ancestor_obj(node, near, host)->depth + verbs;
        if (depth > best_depth) {
            best = device;
            best_depth = depth;
        }
    }
    if (best == NULL) errno = ENOENT;
    return best;
}

#ifdef __cplusplus
}
#endif

#endif
