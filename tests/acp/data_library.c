/* Vectors, lists, maps and sets of the ACP project's data library, in memory of this rank and of others. First one rank
 * after the other, then all at once, each with structures of its own in the memory of its neighbour. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <acp.h> /* the data library's, which needs those above */

enum { count = 50, slots = 7 };

static int me, procs;
static acp_ga_t buffer; /* of three words, in memory of this rank */
static volatile uint64_t *words;

static void check(int holds, int line) {
    if (holds) return;
    fprintf(stderr, "rank %d: line %d does not hold\n", me, line);
    exit(1);
}
#define CHECK(condition) check(condition, __LINE__)

static acp_element_t word(int which) {
    acp_element_t element = {buffer + 8 * (acp_ga_t)which, 8};
    return element;
}

static uint64_t fetched(acp_ga_t from) {
    acp_copy(buffer + 16, from, 8, ACP_HANDLE_NULL);
    acp_complete(ACP_HANDLE_ALL);
    return words[2];
}

static void use_vector(int where) {
    acp_vector_t vector = acp_create_vector(0, where);
    CHECK(vector.ga != ACP_GA_NULL && acp_query_rank(vector.ga) == where && acp_empty_vector(vector));
    for (words[0] = 0; words[0] < count; ++words[0]) acp_push_back_vector(vector, buffer, 8);
    CHECK(acp_size_vector(vector) == 8 * count);
    for (int i = 0; i < count; ++i) CHECK(fetched(acp_at_vector(vector, 8 * i)) == (uint64_t)i);
    acp_destroy_vector(vector);
}

static void use_list(int where) {
    acp_list_t list = acp_create_list(where);
    CHECK(list.ga != ACP_GA_NULL);
    for (words[0] = 0; words[0] < count; ++words[0]) acp_push_back_list(list, word(0), (int)words[0] % procs);
    CHECK(acp_size_list(list) == count);
    acp_list_it_t at = acp_begin_list(list);
    for (uint64_t i = 0; i < count; ++i, at = acp_increment_list_it(at)) {
        CHECK(fetched(acp_dereference_list_it(at).ga) == i);
        CHECK(acp_query_rank(acp_dereference_list_it(at).ga) == (int)i % procs);
    }
    acp_destroy_list(list);
}

static void use_map(const int *ranks, int where) {
    acp_map_t map = acp_create_map(procs, ranks, slots, where);
    CHECK(map.ga != ACP_GA_NULL);
    acp_pair_t pair = {word(0), word(1)};
    for (uint64_t key = 0; key < count; ++key) {
        words[0] = key;
        words[1] = key * key;
        CHECK(acp_insert_map(map, pair));
    }
    CHECK(acp_size_map(map) == count);
    for (uint64_t key = 0; key < count; ++key) {
        words[0] = key;
        words[1] = 0;
        CHECK(acp_retrieve_map(map, pair) == 8 && words[1] == key * key);
    }
    words[0] = count;
    CHECK(acp_retrieve_map(map, pair) == 0);
    acp_destroy_map(map);
}

static void use_set(const int *ranks, int where) {
    acp_set_t set = acp_create_set(procs, ranks, slots, where);
    CHECK(set.ga != ACP_GA_NULL);
    for (words[0] = 0; words[0] < count; ++words[0]) CHECK(acp_insert_set(set, word(0)));
    words[0] = 3;
    CHECK(acp_insert_set(set, word(0)));
    CHECK(acp_size_set(set) == count);
    acp_remove_set(set, word(0));
    CHECK(acp_size_set(set) == count - 1);
    acp_destroy_set(set);
}

static void use_all(const int *ranks, int where) {
    use_vector(where);
    use_list(where);
    use_map(ranks, where);
    use_set(ranks, where);
}

int main(int argc, char **argv) {
    if (acp_init(&argc, &argv) != 0) return 1;
    me = acp_rank();
    procs = acp_procs();
    int *ranks = malloc(sizeof(int) * (size_t)procs);
    for (int rank = 0; rank < procs; ++rank) ranks[rank] = rank;
    buffer = acp_malloc(24, me);
    CHECK(buffer != ACP_GA_NULL);
    words = acp_query_address(buffer);
    for (int rank = 0; rank < procs; ++rank) {
        if (rank == me) use_all(ranks, (me + 1) % procs);
        acp_sync();
    }
    use_all(ranks, (me + 1) % procs);
    acp_sync();
    acp_free(buffer);
    free(ranks);
    acp_finalize();
    if (me == 0) printf("vectors, lists, maps and sets are right\n");
    return 0;
}
