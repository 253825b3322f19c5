/* MPICH's ch4:ucx, and Open MPI's pml/ucx, hand each message to ucp_tag_send_nbx or ucp_tag_send_sync_nbx. Those that
 * are defined here take the place of the library's, since the executable is searched first, and call them. Which rank
 * an endpoint leads to is learnt from one message to each rank; a message that went another way would leave its rank
 * unseen. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucp/api/ucp.h>

#include "traffic.h"

typedef ucs_status_t CreateGeneric(const ucp_generic_dt_ops_t*, void*, ucp_datatype_t*);
typedef ucs_status_ptr_t Send(ucp_ep_h, const void*, size_t, ucp_tag_t, const ucp_request_param_t*);

static int recording;
static int learning = -1;
static int rank_count;
static ucp_ep_h* endpoints;

/* The datatypes that MPICH has made for scattered data, which alone know how large they are when packed. */
typedef struct Generic {
  ucp_datatype_t datatype;
  ucp_generic_dt_ops_t operations;
  void* context;
  struct Generic* next;
} Generic;
static Generic* generics;

void traffic_begin(int rank, int ranks) {
  rank_count = ranks;
  endpoints = calloc((size_t)ranks, sizeof *endpoints);
  for (int distance = 1; distance < ranks; ++distance) {
    char out = 0;
    char in = 0;
    learning = (rank + distance) % ranks;
    MPI_Sendrecv(&out, 1, MPI_CHAR, learning, 0, &in, 1, MPI_CHAR, (rank + ranks - distance) % ranks, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  learning = -1;
}

int traffic_sees(int peer) { return endpoints[peer] != NULL; }

void traffic_record(int on) { recording = on; }

ucs_status_t ucp_dt_create_generic(const ucp_generic_dt_ops_t* operations, void* context, ucp_datatype_t* datatype) {
  const ucs_status_t status =
      ((CreateGeneric*)dlsym(RTLD_NEXT, "ucp_dt_create_generic"))(operations, context, datatype);
  Generic* made = malloc(sizeof *made);
  if (made == NULL) abort();
  *made = (Generic){*datatype, *operations, context, generics};
  generics = made; /* in front of a former one at the same address */
  return status;
}

static size_t packed_size(ucp_datatype_t datatype, const void* buffer, size_t count) {
  if ((datatype & UCP_DATATYPE_CLASS_MASK) == UCP_DATATYPE_CONTIG) return count * (datatype >> UCP_DATATYPE_SHIFT);
  for (const Generic* generic = generics; generic != NULL; generic = generic->next) {
    if (generic->datatype != datatype) continue;
    /* Never finished, since MPICH's finish gives back a reference that only a real send has taken. */
    return generic->operations.packed_size(generic->operations.start_pack(generic->context, buffer, count));
  }
  fprintf(stderr, "traffic: a message of an unknown datatype\n");
  abort();
}

static void seen(ucp_ep_h endpoint, const void* buffer, size_t count, const ucp_request_param_t* parameters) {
  if (learning >= 0) endpoints[learning] = endpoint;
  if (!recording) return;
  const int typed = (parameters->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE) != 0;
  const size_t bytes = typed ? packed_size(parameters->datatype, buffer, count) : count;
  for (int peer = 0; peer < rank_count; ++peer) {
    if (endpoints[peer] == endpoint) traffic_sent(peer, bytes);
  }
}

ucs_status_ptr_t ucp_tag_send_nbx(ucp_ep_h endpoint, const void* buffer, size_t count, ucp_tag_t tag,
                                  const ucp_request_param_t* parameters) {
  seen(endpoint, buffer, count, parameters);
  return ((Send*)dlsym(RTLD_NEXT, "ucp_tag_send_nbx"))(endpoint, buffer, count, tag, parameters);
}

ucs_status_ptr_t ucp_tag_send_sync_nbx(ucp_ep_h endpoint, const void* buffer, size_t count, ucp_tag_t tag,
                                       const ucp_request_param_t* parameters) {
  seen(endpoint, buffer, count, parameters);
  return ((Send*)dlsym(RTLD_NEXT, "ucp_tag_send_sync_nbx"))(endpoint, buffer, count, tag, parameters);
}
