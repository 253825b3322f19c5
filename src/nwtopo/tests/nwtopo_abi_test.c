/* Sizes, offsets and numbers that programs compiled against an older header rely on (LP64). What fails to compile here
 * would break them: a field may only be added after the others, in place of reserved ones. */
#include "check.h"

#define CONCATENATED(a, b) a##b
#define NAMED(line) CONCATENATED(holds_at_line_, line)
#define HOLDS(condition) typedef char NAMED(__LINE__)[(condition) ? 1 : -1]
#define AT(type, member, offset) HOLDS(offsetof(type, member) == (offset))

HOLDS(sizeof(void *) == 8 && sizeof(unsigned long) == 8 && sizeof(bool) == 1);

HOLDS(NWTOPO_OBJ_MACHINE == 0);
HOLDS(NWTOPO_OBJ_ROUTER == 1);
HOLDS(NWTOPO_OBJ_GRID == 2);
HOLDS(NWTOPO_OBJ_FULL == 3);
HOLDS(NWTOPO_OBJ_GRAPH == 4);
HOLDS(NWTOPO_OBJ_MESH == NWTOPO_OBJ_GRAPH);
HOLDS(NWTOPO_OBJ_MAX == 5);
HOLDS(sizeof(nwtopo_obj_type_t) == 4);
HOLDS(NWTOPO_TOPOLOGY_FLAG_PHYSICAL_VIEW == 1);
HOLDS(NWTOPO_TOPOLOGY_FLAG_WHOLE_SYSTEM == 2);
HOLDS(NWTOPO_TOPOLOGY_FLAG_NO_MACHINES == 4);
HOLDS(NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES == 8);
HOLDS(NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS == 16);
HOLDS(NWTOPO_TOPOLOGY_FLAG_THIS_JOB == 32);
HOLDS(NWTOPO_LINK_UP == 0 && NWTOPO_LINK_TAKEN_OUT == 1);
HOLDS(NWTOPO_DIFF_ADDED == 0 && NWTOPO_DIFF_REMOVED == 1 && NWTOPO_DIFF_CHANGED == 2);
HOLDS(NWTOPO_SMALL == 4096);
HOLDS(NWTOPO_UNREACHABLE == 0xFFFFFFFFu);

HOLDS(sizeof(struct nwtopo_obj) == 56);
AT(struct nwtopo_obj, id, 0);
AT(struct nwtopo_obj, type, 8);
AT(struct nwtopo_obj, height, 12);
AT(struct nwtopo_obj, num_parents, 16);
AT(struct nwtopo_obj, num_children, 20);
AT(struct nwtopo_obj, parents, 24);
AT(struct nwtopo_obj, children, 32);
AT(struct nwtopo_obj, attr, 40);
AT(struct nwtopo_obj, userdata, 48);

HOLDS(sizeof(union nwtopo_obj_attr_u) == 40);
AT(union nwtopo_obj_attr_u, machine.hostname, 0);
AT(union nwtopo_obj_attr_u, machine.num_nics, 8);
AT(union nwtopo_obj_attr_u, router.name, 0);
AT(union nwtopo_obj_attr_u, grid.dense, 0);
AT(union nwtopo_obj_attr_u, grid.num_dimensions, 4);
AT(union nwtopo_obj_attr_u, grid.dimensions, 8);
AT(union nwtopo_obj_attr_u, grid.reference_coordinates, 16);
AT(union nwtopo_obj_attr_u, grid.periodicities, 24);
AT(union nwtopo_obj_attr_u, grid.map, 32);
AT(union nwtopo_obj_attr_u, full.dummy, 0);
AT(union nwtopo_obj_attr_u, graph.num_edges, 0);
AT(union nwtopo_obj_attr_u, graph.edges, 8);
AT(union nwtopo_obj_attr_u, mesh.num_edges, 0);
AT(union nwtopo_obj_attr_u, mesh.edges, 8);

HOLDS(sizeof(struct nwtopo_graph_edge) == 16);
HOLDS(sizeof(struct nwtopo_mesh_edge) == 16);
AT(struct nwtopo_graph_edge, nodes, 0);

HOLDS(sizeof(struct nwtopo_link) == 128);
AT(struct nwtopo_link, from, 0);
AT(struct nwtopo_link, to, 8);
AT(struct nwtopo_link, from_port, 16);
AT(struct nwtopo_link, to_port, 20);
AT(struct nwtopo_link, plane, 24);
AT(struct nwtopo_link, width, 28);
AT(struct nwtopo_link, bandwidth, 32);
AT(struct nwtopo_link, lane_speed, 40);
AT(struct nwtopo_link, latency, 48);
AT(struct nwtopo_link, state, 56);
AT(struct nwtopo_link, degraded, 60);
AT(struct nwtopo_link, from_nic, 64);
AT(struct nwtopo_link, to_nic, 68);
AT(struct nwtopo_link, rail, 72);
AT(struct nwtopo_link, from_device, 80);
AT(struct nwtopo_link, to_device, 88);
AT(struct nwtopo_link, from_guid, 96);
AT(struct nwtopo_link, to_guid, 104);
AT(struct nwtopo_link, reserved, 112);

HOLDS(NWTOPO_NO_NIC == 0xFFFFFFFFu);
HOLDS(sizeof(struct nwtopo_nic) == 56);
AT(struct nwtopo_nic, machine, 0);
AT(struct nwtopo_nic, index, 8);
AT(struct nwtopo_nic, rail, 12);
AT(struct nwtopo_nic, plane, 16);
AT(struct nwtopo_nic, num_links, 20);
AT(struct nwtopo_nic, guid, 24);
AT(struct nwtopo_nic, device, 32);
AT(struct nwtopo_nic, reserved, 40);

HOLDS(sizeof(struct nwtopo_memory) == 24);
AT(struct nwtopo_memory, fixed, 0);
AT(struct nwtopo_memory, private_, 8);
AT(struct nwtopo_memory, shared, 16);

HOLDS(sizeof(struct nwtopo_cut) == 48);
AT(struct nwtopo_cut, bandwidth, 0);
AT(struct nwtopo_cut, injection, 8);
AT(struct nwtopo_cut, oversubscription, 16);
AT(struct nwtopo_cut, num_links, 24);
AT(struct nwtopo_cut, reserved, 32);

HOLDS(sizeof(struct nwtopo_diff) == 24);
AT(struct nwtopo_diff, type, 0);
AT(struct nwtopo_diff, is_link, 4);
AT(struct nwtopo_diff, name, 8);
AT(struct nwtopo_diff, detail, 16);

int main(void) {
    nwtopo_mesh_edge_t paper_name = NULL;
    nwtopo_graph_edge_t ours = paper_name;
    CHECK(ours == NULL);
    CHECK(nwtopo_get_api_version() == NWTOPO_API_VERSION);
    CHECK(strcmp(nwtopo_obj_type_name(NWTOPO_OBJ_MACHINE), "machine") == 0);
    CHECK(strcmp(nwtopo_obj_type_name(NWTOPO_OBJ_MESH), "graph") == 0);
    return failures();
}
