/* A libibverbs.so.1 without hardware: it has the functions that a program needs to connect queue pairs and to make
 * address handles, with the versions of the real library, and writes down which addresses it was given. The port is as
 * the environment says: RECORDING_GUID, RECORDING_LID, RECORDING_LMC, RECORDING_ETHERNET, RECORDING_GID (32 hexadecimal
 * digits). RECORDING_FILE: where a line for each address goes. */

#include "recording_verbs.h"

#include <endian.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef ibv_query_port

static struct ibv_device the_device = {.node_type = IBV_NODE_CA, .name = "recording0", .dev_name = "uverbs0"};
static FILE* record;
/* What is opened or created next lies where the last one that was closed or destroyed did: any allocator may do so. */
static struct ibv_context* closed;
static struct ibv_qp* destroyed;
static struct ibv_ah_attr last_address;

static unsigned long long number(const char* variable) {
  const char* const text = getenv(variable);
  return text == NULL ? 0 : strtoull(text, NULL, 0);
}

static void write_address(const char* kind, uint32_t own, uint32_t peers, const struct ibv_ah_attr* address) {
  last_address = *address;
  if (record == NULL) return;
  fprintf(record, "%s %u %u %u %u %u %u\n", kind, own, peers, address->dlid, address->src_path_bits, address->port_num,
          address->is_global ? address->grh.flow_label : 0);
}

const struct ibv_ah_attr* recording_last_address(void) { return &last_address; }

struct ibv_device** ibv_get_device_list(int* count) {
  struct ibv_device** const list = calloc(2, sizeof *list);
  list[0] = &the_device;
  if (count != NULL) *count = 1;
  return list;
}

void ibv_free_device_list(struct ibv_device** list) { free(list); }

struct ibv_context* ibv_open_device(struct ibv_device* device) {
  struct ibv_context* const context = closed != NULL ? closed : calloc(1, sizeof *context);
  closed = NULL;
  context->device = device;
  const char* const file = getenv("RECORDING_FILE");
  if (record == NULL && file != NULL) record = fopen(file, "a");
  return context;
}

int ibv_close_device(struct ibv_context* context) {
  memset(context, 0, sizeof *context);
  if (closed == NULL) {
    closed = context;
  } else {
    free(context);
  }
  if (record != NULL) fclose(record);
  record = NULL;
  return 0;
}

struct ibv_pd* ibv_alloc_pd(struct ibv_context* context) {
  struct ibv_pd* const pd = calloc(1, sizeof *pd);
  pd->context = context;
  return pd;
}

int ibv_query_port(struct ibv_context* context, uint8_t port, struct _compat_ibv_port_attr* out) {
  (void)context;
  (void)port;
  struct ibv_port_attr* const attributes = (struct ibv_port_attr*)out;
  attributes->state = IBV_PORT_ACTIVE;
  attributes->lid = (uint16_t)number("RECORDING_LID");
  attributes->lmc = (uint8_t)number("RECORDING_LMC");
  attributes->link_layer = number("RECORDING_ETHERNET") ? IBV_LINK_LAYER_ETHERNET : IBV_LINK_LAYER_INFINIBAND;
  return 0;
}

int ibv_query_gid(struct ibv_context* context, uint8_t port, int index, union ibv_gid* gid) {
  (void)context;
  (void)port;
  (void)index;
  memset(gid, 0, sizeof *gid);
  gid->global.subnet_prefix = htobe64(0xfe80000000000000u);
  gid->global.interface_id = htobe64(number("RECORDING_GUID"));
  const char* const text = getenv("RECORDING_GID");
  for (int i = 0; text != NULL && i < 16; ++i) {
    unsigned byte = 0;
    if (sscanf(text + 2 * i, "%2x", &byte) == 1) gid->raw[i] = (uint8_t)byte;
  }
  return 0;
}

struct ibv_qp* ibv_create_qp(struct ibv_pd* pd, struct ibv_qp_init_attr* init) {
  static uint32_t next;
  if (next == 0) next = (uint32_t)number("RECORDING_FIRST_QP");
  struct ibv_qp* const qp = destroyed != NULL ? destroyed : calloc(1, sizeof *qp);
  destroyed = NULL;
  qp->context = pd->context;
  qp->pd = pd;
  qp->qp_type = init->qp_type;
  qp->qp_num = next++;
  return qp;
}

int ibv_modify_qp(struct ibv_qp* qp, struct ibv_qp_attr* attr, int mask) {
  if (mask & IBV_QP_STATE) qp->state = attr->qp_state;
  if (mask & IBV_QP_AV) write_address("qp", qp->qp_num, attr->dest_qp_num, &attr->ah_attr);
  return 0;
}

/* As that of mlx5 adapters. */
int mlx5dv_modify_qp_udp_sport(struct ibv_qp* qp, uint16_t udp_sport) {
  if (record != NULL && qp->state == IBV_QPS_RTS) {
    fprintf(record, "sport %u 0 0 0 0 %u\n", qp->qp_num, (unsigned)udp_sport);
  }
  return 0;
}

int ibv_destroy_qp(struct ibv_qp* qp) {
  memset(qp, 0, sizeof *qp);
  if (destroyed == NULL) {
    destroyed = qp;
  } else {
    free(qp);
  }
  return 0;
}

struct ibv_ah* ibv_create_ah(struct ibv_pd* pd, struct ibv_ah_attr* attr) {
  struct ibv_ah* const ah = calloc(1, sizeof *ah);
  ah->context = pd->context;
  ah->pd = pd;
  write_address("ah", 0, 0, attr);
  return ah;
}

int ibv_destroy_ah(struct ibv_ah* ah) {
  free(ah);
  return 0;
}
