/* What the recording libibverbs has besides the functions of the real one. */
#pragma once

#include <infiniband/verbs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The address that a queue pair or an address handle was given last. */
const struct ibv_ah_attr* recording_last_address(void);

int mlx5dv_modify_qp_udp_sport(struct ibv_qp* qp, uint16_t udp_sport);

#ifdef __cplusplus
}
#endif
