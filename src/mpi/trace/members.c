/* The processes of communicators and windows. */

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "trace.h"

struct group {
  int size;
  int* world;
};

struct named {
  MPI_Comm comm;
  int members;
};

struct named_window {
  MPI_Win window;
  int members;
};

ARRAY(struct group, groups);
ARRAY(struct named, communicators);
ARRAY(struct named_window, windows);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Ranks in MPI_COMM_WORLD, as memory for the caller; frees the group. */
static struct group members_of(MPI_Group own) {
  MPI_Group world;
  int (*const comm_group)(MPI_Comm, MPI_Group*) = trace_next("PMPI_Comm_group");
  int (*const group_size)(MPI_Group, int*) = trace_next("PMPI_Group_size");
  int (*const translate)(MPI_Group, int, const int*, MPI_Group, int*) = trace_next("PMPI_Group_translate_ranks");
  int (*const group_free)(MPI_Group*) = trace_next("PMPI_Group_free");
  struct group found = {0, NULL};
  group_size(own, &found.size);
  comm_group(MPI_COMM_WORLD, &world);
  int* const ranks = malloc((size_t)(found.size + 1) * sizeof *ranks);
  found.world = malloc((size_t)(found.size + 1) * sizeof *found.world);
  if (ranks == NULL || found.world == NULL) abort();
  for (int i = 0; i < found.size; ++i) ranks[i] = i;
  translate(own, found.size, ranks, world, found.world);
  for (int i = 0; i < found.size; ++i) found.world[i] = found.world[i] == MPI_UNDEFINED ? -1 : found.world[i];
  free(ranks);
  group_free(&own);
  group_free(&world);
  return found;
}

/* The number of these processes, of which there is one entry. Takes their memory. */
static int number_of(struct group made) {
  const size_t bytes = (size_t)made.size * sizeof *made.world;
  for (int i = 0; i < groups.count; ++i) {
    const struct group* const other = &groups.of[i];
    if (other->size != made.size || memcmp(other->world, made.world, bytes) != 0) continue;
    free(made.world);
    return i;
  }
  APPEND(groups, made);
  return groups.count - 1;
}

int trace_group(int count, const int world[]) {
  struct group made = {count, malloc((size_t)(count + 1) * sizeof *world)};
  if (made.world == NULL) abort();
  memcpy(made.world, world, (size_t)count * sizeof *world);
  pthread_mutex_lock(&mutex);
  const int number = number_of(made);
  pthread_mutex_unlock(&mutex);
  return number;
}

int trace_members(MPI_Comm comm) {
  int (*const comm_group)(MPI_Comm, MPI_Group*) = trace_next("PMPI_Comm_group");
  int (*const remote_group)(MPI_Comm, MPI_Group*) = trace_next("PMPI_Comm_remote_group");
  int (*const test_inter)(MPI_Comm, int*) = trace_next("PMPI_Comm_test_inter");
  pthread_mutex_lock(&mutex);
  int number = -1;
  for (int i = 0; i < communicators.count && number < 0; ++i) {
    if (communicators.of[i].comm == comm) number = communicators.of[i].members;
  }
  if (number < 0) {
    int has_two_groups = 0;
    MPI_Group group;
    trace_enter();
    test_inter(comm, &has_two_groups);
    (has_two_groups ? remote_group : comm_group)(comm, &group);
    number = number_of(members_of(group));
    trace_leave();
    const struct named made = {comm, number};
    APPEND(communicators, made);
  }
  pthread_mutex_unlock(&mutex);
  return number;
}

int trace_window_members(MPI_Win window) {
  int (*const get_group)(MPI_Win, MPI_Group*) = trace_next("PMPI_Win_get_group");
  pthread_mutex_lock(&mutex);
  int number = -1;
  for (int i = 0; i < windows.count && number < 0; ++i) {
    if (windows.of[i].window == window) number = windows.of[i].members;
  }
  if (number < 0) {
    MPI_Group group;
    trace_enter();
    get_group(window, &group);
    number = number_of(members_of(group));
    trace_leave();
    const struct named_window made = {window, number};
    APPEND(windows, made);
  }
  pthread_mutex_unlock(&mutex);
  return number;
}

int trace_member_count(int members) {
  pthread_mutex_lock(&mutex);
  const int count = groups.of[members].size;
  pthread_mutex_unlock(&mutex);
  return count;
}

int trace_world_rank(int members, int rank) {
  pthread_mutex_lock(&mutex);
  const struct group* const group = &groups.of[members];
  const int found = rank >= 0 && rank < group->size ? group->world[rank] : -1;
  pthread_mutex_unlock(&mutex);
  return found;
}

void trace_forget_communicator(MPI_Comm comm) {
  pthread_mutex_lock(&mutex);
  for (int i = communicators.count - 1; i >= 0; --i) {
    if (communicators.of[i].comm == comm) communicators.of[i] = communicators.of[--communicators.count];
  }
  pthread_mutex_unlock(&mutex);
}

void trace_forget_window(MPI_Win window) {
  pthread_mutex_lock(&mutex);
  for (int i = windows.count - 1; i >= 0; --i) {
    if (windows.of[i].window == window) windows.of[i] = windows.of[--windows.count];
  }
  pthread_mutex_unlock(&mutex);
}

void trace_write_members(FILE* file) {
  for (int i = 0; i < groups.count; ++i) {
    fprintf(file, "%s[", i == 0 ? "" : ", ");
    for (int k = 0; k < groups.of[i].size; ++k) fprintf(file, "%s%d", k == 0 ? "" : ", ", groups.of[i].world[k]);
    fputs("]", file);
  }
}
