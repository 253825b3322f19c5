/* Connects a queue pair to each peer on standard input, and makes an address handle for each: lines
 * "qp PEERS_QP LID GUID FLOW" and "ah LID GUID FLOW", where GUID is 0 without a global route header, and the GID's last
 * eight bytes with one. Which functions of libibverbs are called is decided when this is compiled:
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

int make_connections(void);
int make_connections(void) {
  struct ibv_device** const devices = CALL(ibv_get_device_list)(NULL);
  struct ibv_context* const context = CALL(ibv_open_device)(devices[0]);
  struct ibv_pd* const pd = CALL(ibv_alloc_pd)(context);
  char kind[3];
  while (scanf("%2s", kind) == 1) {
    unsigned peers = 0, lid = 0, flow = 0;
    uint64_t guid = 0;
    const int is_pair = strcmp(kind, "qp") == 0;
    if (is_pair && scanf("%u", &peers) != 1) return 1;
    if (scanf("%u %" SCNi64 " %u", &lid, (int64_t*)&guid, &flow) != 3) return 1;
    struct ibv_qp_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    set_address(&attributes.ah_attr, lid, guid, flow);
    attributes.dest_qp_num = peers;
    const struct ibv_qp_attr before = attributes;
    if (is_pair) {
      struct ibv_qp_init_attr init;
      memset(&init, 0, sizeof init);
      init.qp_type = IBV_QPT_RC;
      struct ibv_qp* const qp = CALL(ibv_create_qp)(pd, &init);
      attributes.qp_state = IBV_QPS_INIT;
      CALL(ibv_modify_qp)(qp, &attributes, IBV_QP_STATE | IBV_QP_PORT);
      attributes.qp_state = IBV_QPS_RTR;
      CALL(ibv_modify_qp)(qp, &attributes, IBV_QP_STATE | IBV_QP_AV | IBV_QP_DEST_QPN);
      attributes.qp_state = IBV_QPS_RTS;
      CALL(ibv_modify_qp)(qp, &attributes, IBV_QP_STATE);
    } else {
      CALL(ibv_create_ah)(pd, &attributes.ah_attr);
    }
    if (memcmp(&before.ah_attr, &attributes.ah_attr, sizeof before.ah_attr) != 0) return 2;
  }
  CALL(ibv_close_device)(context);
  return 0;
}

#if !defined AS_MODULE
int main(void) { return make_connections(); }
#endif
