/* Packets' paths by forwarding tables: fattree-K2.lfts is what `ayatori route fattree:K=2 --lmc 1` wrote. */
#include "check.h"

#define TABLES TEST_FOLDER "/fattree-K2.lfts"

static nwtopo_topology_t loaded_with(const char *source, const char *tables) {
    nwtopo_topology_t t;
    CHECK(nwtopo_topology_init(&t) == 0);
    CHECK(nwtopo_topology_set_source(t, source) == 0);
    CHECK(nwtopo_topology_set_tables(t, tables) == 0);
    CHECK(nwtopo_topology_load(t) == 0);
    return t;
}

static void different_lids_go_by_different_spines(void) {
    nwtopo_topology_t t = loaded_with("fattree:K=2", TABLES);
    struct nwtopo_link links[2][4];
    nwtopo_obj_t from = nwtopo_topology_get_object_by_name(t, "N0");
    nwtopo_obj_t to = nwtopo_topology_get_object_by_name(t, "N7");
    unsigned path;
    for (path = 0; path < 2; path++) {
        CHECK(nwtopo_get_routed_path(t, from, to, path, 4, links[path]) == 4);
        CHECK(links[path][0].from == from && links[path][3].to == to);
        CHECK(links[path][1].to->height == 2);
    }
    CHECK(links[0][1].to != links[1][1].to);
    CHECK(nwtopo_get_routed_path(t, from, to, 2, 4, links[0]) == -1 && errno == ENOENT);
    nwtopo_topology_destroy(t);
}

static void a_subset_keeps_its_paths(void) {
    nwtopo_topology_t t = loaded_with("fattree:K=2", TABLES), part;
    nwtopo_obj_t machines[2];
    struct nwtopo_link links[4];
    machines[0] = nwtopo_topology_get_object_by_name(t, "N0");
    machines[1] = nwtopo_topology_get_object_by_name(t, "N7");
    CHECK(nwtopo_topology_init(&part) == 0);
    CHECK(nwtopo_topology_shrink(part, t, 2, machines) == 0);
    machines[0] = nwtopo_topology_get_object(part, 0, 0);
    machines[1] = nwtopo_topology_get_object(part, 0, 1);
    CHECK(nwtopo_get_routed_path(part, machines[0], machines[1], 1, 4, links) == 4);
    CHECK(links[3].to == machines[1]);
    nwtopo_topology_destroy(t);
    nwtopo_topology_destroy(part);
}

static void without_tables_only_grids_have_routes(void) {
    nwtopo_topology_t t = loaded_with("fattree:K=2", NULL);
    nwtopo_obj_t from = nwtopo_topology_get_object(t, 0, 0), to = nwtopo_topology_get_object(t, 0, 7);
    struct nwtopo_link links[4];
    CHECK(nwtopo_get_routed_path(t, from, to, 0, 4, links) == -1 && errno == ENODATA);
    nwtopo_topology_destroy(t);
}

/* Messages of the program that wrote the tables: skipped, and reported. */
static void skipped_lines_are_warned_of(void) {
    const char *path = "nwtopo_tables_test.lfts";
    FILE *from = fopen(TABLES, "r"), *to = fopen(path, "w");
    nwtopo_topology_t t, part;
    nwtopo_obj_t machine;
    char line[512];
    CHECK(from != NULL && to != NULL);
    fprintf(to, "ibroute: iberror: failed: no answer\n");
    while (fgets(line, sizeof line, from) != NULL) fputs(line, to);
    fclose(from);
    fclose(to);
    t = loaded_with("fattree:K=2", TABLES);
    CHECK(nwtopo_topology_get_num_warnings(t) == 0);
    CHECK(nwtopo_topology_get_warning(t, 0) == NULL && errno == ENOENT);
    nwtopo_topology_destroy(t);
    t = loaded_with("fattree:K=2", path);
    CHECK(nwtopo_topology_get_num_warnings(t) == 2);
    CHECK(strstr(nwtopo_topology_get_warning(t, 0), ":1: skipped") != NULL);
    CHECK(strstr(nwtopo_topology_get_warning(t, 0), "iberror: failed: no answer") != NULL);
    CHECK(strstr(nwtopo_topology_get_warning(t, 1), "entries may be missing") != NULL);
    CHECK(nwtopo_topology_get_warning(t, 2) == NULL && errno == ENOENT);
    machine = nwtopo_topology_get_object(t, 0, 0);
    CHECK(nwtopo_topology_init(&part) == 0 && nwtopo_topology_shrink(part, t, 1, &machine) == 0);
    CHECK(nwtopo_topology_get_num_warnings(part) == 2);
    nwtopo_topology_destroy(part);
    nwtopo_topology_destroy(t);
    remove(path);
}

static void bad_tables_are_refused(void) {
    nwtopo_topology_t t;
    CHECK(nwtopo_topology_init(&t) == 0);
    CHECK(nwtopo_topology_set_source(t, "fattree:K=2") == 0);
    CHECK(nwtopo_topology_set_tables(t, "/no/such/tables") == 0);
    CHECK(nwtopo_topology_load(t) == -1 && errno == ENOENT);
    CHECK(nwtopo_topology_set_source(t, "fattree:K=3") == 0);
    CHECK(nwtopo_topology_set_tables(t, TABLES) == 0);
    CHECK(nwtopo_topology_load(t) == -1 && errno == EINVAL);
    CHECK(strstr(nwtopo_error_message(), "fattree-K2.lfts") != NULL);
    nwtopo_topology_destroy(t);
}

int main(void) {
    different_lids_go_by_different_spines();
    a_subset_keeps_its_paths();
    without_tables_only_grids_have_routes();
    skipped_lines_are_warned_of();
    bad_tables_are_refused();
    return failures();
}
