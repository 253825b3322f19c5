/* What libayatori_paths.so (interposition.c) and its engine (engine.cpp) say to each other. */
#pragma once

#include <infiniband/verbs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Functions of the libibverbs that the program uses. */
struct ayatori_paths_verbs {
  int (*query_port)(struct ibv_context*, uint8_t, struct ibv_port_attr*); /* fills what was known of a port in 2006 */
  int (*query_gid)(struct ibv_context*, uint8_t, int, union ibv_gid*);
};

/* What the engine does. */
struct ayatori_paths_engine {
  /* Changes the address of a queue pair that becomes ready to receive. `peers`: number of the other queue pair. */
  void (*queue_pair)(const struct ibv_qp* qp, struct ibv_ah_attr* address, uint32_t peers);
  /* Changes the address of an address handle that is to be made. */
  void (*handle)(const struct ibv_pd* pd, struct ibv_ah_attr* address);
  /* A queue pair begins anew, perhaps at the address of one that was destroyed. */
  void (*initialised)(const struct ibv_qp* qp);
  /* A queue pair has become ready to send. */
  void (*ready_to_send)(struct ibv_qp* qp);
  /* A device is about to be closed: the next one that is opened may have its address. */
  void (*closes)(const struct ibv_context* context);
  /* The end of the process: writes what was recorded. */
  void (*finish)(void);
};

/* Reads the plans that AYATORI_PLAN (InfiniBand) and AYATORI_ROCE_PLAN name. 0: there is none, or nothing to choose;
 * the engine is not needed. */
typedef int ayatori_paths_start(const struct ayatori_paths_verbs* verbs, struct ayatori_paths_engine* engine);
int ayatori_paths_engine_start(const struct ayatori_paths_verbs* verbs, struct ayatori_paths_engine* engine);

#ifdef __cplusplus
}
#endif
