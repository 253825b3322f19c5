/* Everything that a program can do wrong: -1, NULL or 0 with errno and one line of text, and never a crash. */
#define _POSIX_C_SOURCE 200112L

#include <stdlib.h>

#include "check.h"

static int one_line(const char *part) {
    const char *message = nwtopo_error_message();
    return strchr(message, '\n') == NULL && strstr(message, part) != NULL;
}

/* The call failed with this errno, and its message holds `part`. */
#define REFUSED(call, number, part) \
    do {                            \
        errno = 0;                  \
        CHECK(!(call));             \
        CHECK(errno == (number));   \
        CHECK(one_line(part));      \
    } while (0)
#define REFUSED_INT(call, number, part) REFUSED((call) != -1, number, part)

static nwtopo_topology_t prepared(const char *source, unsigned long flags) {
    nwtopo_topology_t topology = NULL;
    CHECK(nwtopo_topology_init(&topology) == 0);
    CHECK(nwtopo_topology_set_source(topology, source) == 0);
    CHECK(nwtopo_topology_set_flags(topology, flags) == 0);
    return topology;
}

static nwtopo_topology_t open_source(const char *source, unsigned long flags) {
    nwtopo_topology_t topology = prepared(source, flags);
    CHECK(nwtopo_topology_load(topology) == 0);
    return topology;
}

/* Every function that takes an object, with one that is none of this topology. */
static void use_object(nwtopo_topology_t t, nwtopo_obj_t obj, const char *part) {
    struct nwtopo_link link;
    struct nwtopo_cut cut;
    struct nwtopo_nic nic;
    nwtopo_obj_t found;
    unsigned distance;
    int coords[3] = {0, 0, 0};
    REFUSED(nwtopo_obj_get_children(t, obj), EINVAL, part);
    REFUSED(nwtopo_obj_get_child(t, obj, 0), EINVAL, part);
    REFUSED_INT(nwtopo_grid_get_obj(t, obj, coords, &found), EINVAL, part);
    REFUSED_INT(nwtopo_grid_get_shifted_obj(t, obj, obj, coords, &found), EINVAL, part);
    REFUSED_INT(nwtopo_grid_get_neighbor_obj(t, obj, obj, 0, 1, &found), EINVAL, part);
    CHECK(found == NULL);
    REFUSED_INT(nwtopo_grid_get_coords(t, obj, obj, coords), EINVAL, part);
    REFUSED_INT(nwtopo_obj_get_num_links(t, obj), EINVAL, part);
    REFUSED_INT(nwtopo_obj_get_link(t, obj, 0, &link), EINVAL, part);
    REFUSED_INT(nwtopo_get_hops(t, obj, obj), EINVAL, part);
    REFUSED_INT(nwtopo_get_distances(t, 1, &obj, &distance), EINVAL, part);
    REFUSED(nwtopo_get_num_routes(t, obj, obj), EINVAL, part);
    REFUSED_INT(nwtopo_get_route(t, obj, obj, 0, 1, &link), EINVAL, part);
    REFUSED_INT(nwtopo_get_routed_path(t, obj, obj, 0, 1, &link), EINVAL, part);
    REFUSED_INT(nwtopo_get_common_ancestors(t, obj, obj, 1, &found), EINVAL, part);
    REFUSED_INT(nwtopo_get_nearest_machines(t, obj, 1, &found), EINVAL, part);
    REFUSED_INT(nwtopo_get_machines_under(t, obj, 1, &found), EINVAL, part);
    REFUSED_INT(nwtopo_get_cut(t, 1, &obj, 1, &obj, &cut), EINVAL, part);
    REFUSED(nwtopo_obj_get_parent(t, obj, 0), EINVAL, part);
    REFUSED_INT(nwtopo_grid_get_dimensions(t, obj, coords), EINVAL, part);
    REFUSED_INT(nwtopo_obj_get_nic(t, obj, 0, &nic), EINVAL, part);
    REFUSED_INT(nwtopo_get_nic_hops(t, obj, 0, obj, 0), EINVAL, part);
    REFUSED_INT(nwtopo_get_nearest_nic(t, obj, 0, obj, &nic), EINVAL, part);
}

/* Every function that needs a loaded topology, with one that is none. */
static void use(nwtopo_topology_t t, const char *part) {
    struct nwtopo_diff *diffs;
    struct nwtopo_nic nic;
    void *buffer;
    size_t size;
    use_object(t, NULL, part);
    REFUSED(nwtopo_topology_get_max_height(t), EINVAL, part);
    REFUSED(nwtopo_topology_get_object_by_id(t, 0), EINVAL, part);
    REFUSED(nwtopo_topology_get_this_machine(t), EINVAL, part);
    REFUSED(nwtopo_topology_get_object_by_name(t, "N0"), EINVAL, part);
    REFUSED(nwtopo_topology_get_num_warnings(t), EINVAL, part);
    REFUSED(nwtopo_topology_get_warning(t, 0), EINVAL, part);
    REFUSED(nwtopo_topology_get_num_objects(t, 0), EINVAL, part);
    REFUSED(nwtopo_topology_get_object(t, 0, 0), EINVAL, part);
    REFUSED(nwtopo_topology_get_root(t), EINVAL, part);
    REFUSED(nwtopo_topology_get_num_planes(t), EINVAL, part);
    REFUSED(nwtopo_topology_get_plane_name(t, 0), EINVAL, part);
    REFUSED_INT(nwtopo_topology_export_file(t, "json", "/nowhere"), EINVAL, part);
    REFUSED_INT(nwtopo_topology_diff(t, t, &diffs), EINVAL, part);
    CHECK(diffs == NULL);
    REFUSED_INT(nwtopo_topology_export_buffer(t, &buffer, &size), EINVAL, part);
    CHECK(buffer == NULL && size == 0);
    REFUSED_INT(nwtopo_topology_get_nic_by_guid(t, 1, &nic), EINVAL, part);
    REFUSED(nwtopo_topology_get_object_by_guid(t, 1), EINVAL, part);
}

static void without_a_topology(void) {
    struct nwtopo_memory memory;
    nwtopo_topology_t destroyed = prepared("torus:4x4", 0);
    nwtopo_topology_t fresh = prepared("torus:4x4", 0);
    nwtopo_topology_t wild = (nwtopo_topology_t)&memory;
    nwtopo_topology_destroy(destroyed);
    nwtopo_topology_destroy(destroyed);
    nwtopo_topology_destroy(wild);
    nwtopo_topology_destroy(NULL);
    REFUSED_INT(nwtopo_topology_init(NULL), EINVAL, "NULL");
    use(NULL, "the topology is NULL");
    use(destroyed, "this is not a topology");
    use(wild, "this is not a topology");
    use((nwtopo_topology_t)((char *)fresh + 1), "this is not a topology");
    use(fresh, "not loaded yet");
    REFUSED_INT(nwtopo_topology_load(destroyed), EINVAL, "this is not a topology");
    REFUSED_INT(nwtopo_topology_set_flags(destroyed, 0), EINVAL, "this is not a topology");
    REFUSED_INT(nwtopo_topology_set_source(NULL, "torus:4"), EINVAL, "NULL");
    REFUSED_INT(nwtopo_topology_get_memory(destroyed, &memory), EINVAL, "this is not a topology");
    REFUSED_INT(nwtopo_topology_get_memory(fresh, NULL), EINVAL, "NULL");
    CHECK(nwtopo_topology_get_memory(fresh, &memory) == 0);
    nwtopo_topology_destroy(fresh);
}

static void while_loading(void) {
    nwtopo_topology_t t = prepared("torus:4x4", 0);
    REFUSED_INT(nwtopo_topology_set_flags(t, 1ul << 20), EINVAL, "unknown flags 0x100000");
    CHECK(nwtopo_topology_get_flags(t) == 0);
    CHECK(nwtopo_topology_set_source(t, "nonsense") == 0);
    REFUSED_INT(nwtopo_topology_load(t), EINVAL, "nonsense");
    CHECK(nwtopo_topology_set_source(t, "torus:0x4") == 0);
    REFUSED_INT(nwtopo_topology_load(t), EINVAL, "torus");
    CHECK(nwtopo_topology_set_source(t, "ib:/nowhere/to/be found") == 0);
    REFUSED_INT(nwtopo_topology_load(t), ENOENT, "/nowhere/to/be found");
    CHECK(nwtopo_topology_set_source(t, "ib:/") == 0);
    REFUSED_INT(nwtopo_topology_load(t), EISDIR, "folder");
    CHECK(nwtopo_topology_set_source(t, "torus:65536x65535") == 0);
    REFUSED_INT(nwtopo_topology_load(t), EOVERFLOW, "objects");
    CHECK(nwtopo_topology_set_source(t, "torus:100000x100000") == 0);
    REFUSED_INT(nwtopo_topology_load(t), EOVERFLOW, "points");
    CHECK(nwtopo_topology_set_source(t, "mesh:5000x5000,hosts=2") == 0);
    REFUSED_INT(nwtopo_topology_load(t), EOVERFLOW, "devices");
    CHECK(nwtopo_topology_set_source(t, "torus:4x4") == 0);
    CHECK(nwtopo_topology_load(t) == 0);
    REFUSED_INT(nwtopo_topology_load(t), EBUSY, "already");
    REFUSED_INT(nwtopo_topology_set_flags(t, 0), EBUSY, "already");
    REFUSED_INT(nwtopo_topology_set_source(t, NULL), EBUSY, "already");
    REFUSED_INT(nwtopo_topology_set_this_machine(t, NULL), EBUSY, "already");
    REFUSED_INT(nwtopo_topology_set_faults(t, NULL), EBUSY, "already");
    REFUSED_INT(nwtopo_topology_set_host_pattern(t, NULL), EBUSY, "already");
    REFUSED_INT(nwtopo_topology_set_aliases(t, NULL), EBUSY, "already");
    REFUSED_INT(nwtopo_topology_set_buffer(t, "x", 1), EBUSY, "already");
    nwtopo_topology_destroy(t);
}

static void with_wrong_objects(void) {
    nwtopo_topology_t t = open_source("torus:4x4", 0);
    nwtopo_topology_t other = open_source("torus:4x4", 0);
    nwtopo_obj_t stranger = nwtopo_topology_get_object_by_id(other, 3);
    struct nwtopo_obj forged;
    memset(&forged, 0, sizeof forged);
    use_object(t, stranger, "not of this topology");
    use_object(t, &forged, "not of this topology");
    use_object(t, (nwtopo_obj_t)8, "not of this topology");
    use_object(t, (nwtopo_obj_t)((char *)nwtopo_topology_get_root(t) + 8), "not of this topology");
    use_object(t, nwtopo_topology_get_root(t) + 4096, "not of this topology");
    nwtopo_topology_destroy(other);
    use_object(t, stranger, "not of this topology");
    nwtopo_topology_destroy(t);
}

static void beyond_the_last(nwtopo_topology_t t) {
    nwtopo_obj_t grid = nwtopo_topology_get_root(t);
    nwtopo_obj_t machine = nwtopo_topology_get_object_by_id(t, 5);
    struct nwtopo_link link;
    REFUSED(nwtopo_topology_get_object_by_id(t, 17), ENOENT, "17");
    REFUSED(nwtopo_topology_get_object_by_id(t, ~0ul), ENOENT, "no object");
    REFUSED(nwtopo_topology_get_object_by_name(t, "N4-0"), ENOENT, "N4-0");
    REFUSED(nwtopo_topology_get_object_by_name(t, ""), ENOENT, "no machine");
    REFUSED(nwtopo_topology_get_object_by_name(t, NULL), EINVAL, "NULL");
    REFUSED(nwtopo_topology_get_object(t, 0, 16), ENOENT, "there are 16");
    REFUSED(nwtopo_topology_get_object(t, 2, 0), ENOENT, "there are 0");
    CHECK(nwtopo_topology_get_num_objects(t, 2) == 0);
    REFUSED(nwtopo_obj_get_child(t, grid, 16), ENOENT, "it has 16");
    REFUSED(nwtopo_obj_get_child(t, machine, 0), ENOENT, "it has 0");
    REFUSED(nwtopo_obj_get_children(t, machine), ENOENT, "no children");
    REFUSED_INT(nwtopo_obj_get_link(t, machine, 4, &link), ENOENT, "it has 4");
    REFUSED_INT(nwtopo_obj_get_link(t, machine, 0, NULL), EINVAL, "NULL");
    REFUSED_INT(nwtopo_obj_get_link(t, grid, 0, &link), ENOENT, "it has 0");
    REFUSED(nwtopo_topology_get_plane_name(t, 1), ENOENT, "there are 1");
    REFUSED(nwtopo_obj_type_name(NWTOPO_OBJ_MAX), EINVAL, "5");
}

static void in_a_grid(void) {
    nwtopo_topology_t t = open_source("mesh:4x4", 0);
    nwtopo_obj_t grid = nwtopo_topology_get_root(t);
    nwtopo_obj_t corner = nwtopo_topology_get_object_by_id(t, 0);
    nwtopo_obj_t found = corner;
    int coords[2] = {0, 4};
    int shifts[2] = {0, -1};
    beyond_the_last(t);
    REFUSED_INT(nwtopo_grid_get_obj(t, grid, coords, &found), EINVAL, "coordinate 1 is 4");
    CHECK(found == NULL);
    coords[1] = -1;
    REFUSED_INT(nwtopo_grid_get_obj(t, grid, coords, &found), EINVAL, "coordinate 1 is -1");
    REFUSED_INT(nwtopo_grid_get_obj(t, grid, NULL, &found), EINVAL, "NULL");
    REFUSED_INT(nwtopo_grid_get_obj(t, grid, coords, NULL), EINVAL, "NULL");
    REFUSED_INT(nwtopo_grid_get_obj(t, corner, coords, &found), EINVAL, "expected a grid");
    REFUSED_INT(nwtopo_grid_get_shifted_obj(t, grid, corner, shifts, &found), ENOENT, "out of the grid");
    REFUSED_INT(nwtopo_grid_get_shifted_obj(t, grid, corner, NULL, &found), EINVAL, "NULL");
    REFUSED_INT(nwtopo_grid_get_neighbor_obj(t, grid, corner, 0, -2147483647 - 1, &found), ENOENT, "out of the grid");
    REFUSED_INT(nwtopo_grid_get_neighbor_obj(t, grid, corner, 2, 1, &found), EINVAL, "no direction 2");
    REFUSED_INT(nwtopo_grid_get_coords(t, grid, grid, coords), EINVAL, "not under the grid");
    REFUSED_INT(nwtopo_grid_get_coords(t, grid, corner, NULL), EINVAL, "NULL");
    REFUSED_INT(nwtopo_get_hops(t, grid, corner), EINVAL, "expected a machine or router");
    nwtopo_topology_destroy(t);
}

static void in_subsets(void) {
    nwtopo_topology_t base = open_source("torus:4x4", 0);
    nwtopo_topology_t other = open_source("torus:4x4", 0);
    nwtopo_topology_t subset = prepared(NULL, 0);
    nwtopo_obj_t machines[2];
    machines[0] = nwtopo_topology_get_object_by_id(base, 1);
    machines[1] = machines[0];
    REFUSED_INT(nwtopo_topology_shrink(subset, base, 0, machines), EINVAL, "at least one machine");
    REFUSED_INT(nwtopo_topology_shrink(subset, base, 1, NULL), EINVAL, "NULL");
    REFUSED_INT(nwtopo_topology_shrink(subset, base, 2, machines), EINVAL, "");
    CHECK(nwtopo_error_message()[0] != '\0');
    machines[1] = nwtopo_topology_get_root(base);
    REFUSED_INT(nwtopo_topology_shrink(subset, base, 2, machines), EINVAL, "a grid can't be");
    machines[1] = nwtopo_topology_get_object_by_id(other, 2);
    REFUSED_INT(nwtopo_topology_shrink(subset, base, 2, machines), EINVAL, "not of this topology");
    machines[1] = NULL;
    REFUSED_INT(nwtopo_topology_shrink(subset, base, 2, machines), EINVAL, "NULL");
    REFUSED_INT(nwtopo_topology_shrink(base, other, 1, machines), EBUSY, "already");
    REFUSED_INT(nwtopo_topology_shrink(subset, subset, 1, machines), EINVAL, "not loaded yet");
    REFUSED_INT(nwtopo_topology_shrink(NULL, base, 1, machines), EINVAL, "NULL");
    nwtopo_topology_destroy(subset);
    nwtopo_topology_destroy(other);
    nwtopo_topology_destroy(base);
}

static void without_machines(void) {
    nwtopo_topology_t t = open_source("torus:4x4", NWTOPO_TOPOLOGY_FLAG_NO_MACHINES);
    nwtopo_obj_t grid = nwtopo_topology_get_root(t);
    nwtopo_obj_t found;
    int coords[2] = {1, 2};
    CHECK(grid->num_children == 16 && grid->children == NULL && grid->attr->grid.map == NULL);
    CHECK(nwtopo_topology_get_num_objects(t, 0) == 0);
    REFUSED(nwtopo_topology_get_object_by_id(t, 5), ENOENT, "NO_MACHINES");
    REFUSED(nwtopo_obj_get_children(t, grid), ENOENT, "NO_MACHINES");
    REFUSED(nwtopo_obj_get_child(t, grid, 0), ENOENT, "NO_MACHINES");
    REFUSED_INT(nwtopo_grid_get_obj(t, grid, coords, &found), ENOENT, "NO_MACHINES");
    nwtopo_topology_destroy(t);
}

static void with_the_environment(void) {
    nwtopo_topology_t t = prepared(NULL, NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES);
    nwtopo_obj_t me;
    setenv("NWTOPO_SOURCE", "torus:nonsense", 1);
    REFUSED_INT(nwtopo_topology_load(t), EINVAL, "torus");
    setenv("NWTOPO_SOURCE", "torus:4x4", 1);
    CHECK(nwtopo_topology_load(t) == 0);
    CHECK(strcmp(nwtopo_topology_get_source(t), "torus:4x4") == 0);
    unsetenv("NWTOPO_SOURCE");
    unsetenv("NWTOPO_THIS_MACHINE");
    REFUSED(nwtopo_topology_get_this_machine(t), ENOENT, "this machine");
    setenv("NWTOPO_THIS_MACHINE", "somewhere", 1);
    REFUSED(nwtopo_topology_get_this_machine(t), ENOENT, "somewhere");
    setenv("NWTOPO_THIS_MACHINE", "16", 1);
    REFUSED(nwtopo_topology_get_this_machine(t), ENOENT, "16");
    setenv("NWTOPO_THIS_MACHINE", "7", 1);
    me = nwtopo_topology_get_this_machine(t);
    CHECK(me != NULL && me->id == 7 && me->attr->machine.hostname == NULL);
    setenv("NWTOPO_THIS_MACHINE", "N1-3.cluster.example", 1);
    CHECK(nwtopo_topology_get_this_machine(t) == me);
    nwtopo_topology_destroy(t);
    t = prepared("torus:4x4", 0);
    CHECK(nwtopo_topology_set_this_machine(t, "N2-2") == 0);
    CHECK(nwtopo_topology_load(t) == 0);
    CHECK(strcmp(nwtopo_topology_get_this_machine(t)->attr->machine.hostname, "N2-2") == 0);
    nwtopo_topology_destroy(t);
}

int main(void) {
    CHECK(strcmp(nwtopo_error_message(), "") == 0);
    without_a_topology();
    while_loading();
    with_wrong_objects();
    in_a_grid();
    in_subsets();
    without_machines();
    with_the_environment();
    return failures();
}
