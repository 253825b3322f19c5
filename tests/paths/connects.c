/* Connects a queue pair to each peer on standard input, and makes an address handle for each: lines
 * "qp PEERS_QP LID GUID FLOW" and "ah LID GUID FLOW", where GUID is 0 without a global route header, and the GID's last
 * eight bytes with one. Further lines:
 *
 *     lost PEERS_QP LID GUID FLOW   a queue pair that is destroyed before it is ready to send
 *     ud                            a queue pair for datagrams, which has no address
 *     other GUID LID GID            closes the device and opens another one, whose port has these
 *
 * Which functions of libibverbs are called is decided when this is compiled:
 *
 *     (nothing)     those that it is linked to
 *     -DBY_DLVSYM   those that it asks a handle of libibverbs for, as NCCL does
 *     -DAS_MODULE   those that a module is linked to, which it loads by dlopen, as UCX and libfabric do
 *
 * Afterwards the attributes that it passed must be as they were. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <endian.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined BY_DLVSYM
static void* library;
static void* function(const char* name) {
  if (library == NULL) library = dlopen("libibverbs.so.1", RTLD_NOW);
  void* const found = library == NULL ? NULL : dlvsym(library, name, "IBVERBS_1.1");
  if (found == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return found;
}
#define CALL(name) ((__typeof__(name)*)function(#name))
#else
#define CALL(name) name
#endif

static void set_address(struct ibv_ah_attr* address, unsigned lid, uint64_t guid, unsigned flow) {
  memset(address, 0, sizeof *address);
  address->dlid = (uint16_t)lid;
  address->port_num = 1;
  address->is_global = guid != 0;
  address->grh.flow_label = flow;
  const char* const mapped = getenv("CONNECTS_IPV4");
  address->grh.dgid.global.subnet_prefix = mapped != NULL ? 0 : htobe64(0xfe80000000000000u);
  address->grh.dgid.global.interface_id = htobe64(guid);
}

static struct ibv_qp* new_queue_pair(struct ibv_pd* pd, enum ibv_qp_type type) {
  struct ibv_qp_init_attr init;
  memset(&init, 0, sizeof init);
  init.qp_type = type;
  return CALL(ibv_create_qp)(pd, &init);
}

static void modify(struct ibv_qp* qp, struct ibv_qp_attr* attributes, enum ibv_qp_state state, int others) {
  attributes->qp_state = state;
  CALL(ibv_modify_qp)(qp, attributes, IBV_QP_STATE | others);
}

static void make_datagrams(struct ibv_pd* pd) {
  struct ibv_qp* const qp = new_queue_pair(pd, IBV_QPT_UD);
  struct ibv_qp_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  modify(qp, &attributes, IBV_QPS_INIT, IBV_QP_PORT | IBV_QP_QKEY);
  modify(qp, &attributes, IBV_QPS_RTR, 0);
  modify(qp, &attributes, IBV_QPS_RTS, IBV_QP_SQ_PSN);
}

/* One line of kind "qp", "lost" or "ah". 0: done, and the attributes are as they were. */
static int connect_one(const char* kind, struct ibv_pd* pd) {
  unsigned peers = 0, lid = 0, flow = 0;
  uint64_t guid = 0;
  const int is_pair = strcmp(kind, "ah") != 0;
  if (is_pair && scanf("%u", &peers) != 1) return 1;
  if (scanf("%u %" SCNi64 " %u", &lid, (int64_t*)&guid, &flow) != 3) return 1;
  struct ibv_qp_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  set_address(&attributes.ah_attr, lid, guid, flow);
  attributes.dest_qp_num = peers;
  const struct ibv_qp_attr before = attributes;
  if (is_pair) {
    struct ibv_qp* const qp = new_queue_pair(pd, IBV_QPT_RC);
    modify(qp, &attributes, IBV_QPS_INIT, IBV_QP_PORT);
    modify(qp, &attributes, IBV_QPS_RTR, IBV_QP_AV | IBV_QP_DEST_QPN);
    if (strcmp(kind, "lost") == 0) {
      CALL(ibv_destroy_qp)(qp);
    } else {
      modify(qp, &attributes, IBV_QPS_RTS, 0);
    }
  } else {
    CALL(ibv_create_ah)(pd, &attributes.ah_attr);
  }
  return memcmp(&before.ah_attr, &attributes.ah_attr, sizeof before.ah_attr) != 0 ? 2 : 0;
}

int make_connections(void);
int make_connections(void) {
  struct ibv_device** const devices = CALL(ibv_get_device_list)(NULL);
  struct ibv_context* context = CALL(ibv_open_device)(devices[0]);
  struct ibv_pd* pd = CALL(ibv_alloc_pd)(context);
  char kind[6];
  while (scanf("%5s", kind) == 1) {
    int failed = 0;
    if (strcmp(kind, "other") == 0) {
      char guid[32], lid[32], gid[33];
      if (scanf("%31s %31s %32s", guid, lid, gid) != 3) return 1;
      setenv("RECORDING_GUID", guid, 1);
      setenv("RECORDING_LID", lid, 1);
      if (getenv("RECORDING_GID") != NULL) setenv("RECORDING_GID", gid, 1);
      CALL(ibv_close_device)(context);
      context = CALL(ibv_open_device)(devices[0]);
      pd = CALL(ibv_alloc_pd)(context);
    } else if (strcmp(kind, "ud") == 0) {
      make_datagrams(pd);
    } else {
      failed = connect_one(kind, pd);
    }
    if (failed) return failed;
  }
  CALL(ibv_close_device)(context);
  return 0;
}

#if !defined AS_MODULE
int main(void) { return make_connections(); }
#endif
