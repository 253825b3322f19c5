/* What the recording libibverbs has besides the functions of the real one. */
#pragma once

#include <infiniband/verbs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The address that a queue pair or an address handle was given last. */
const struct ibv_ah_attr* recording_last_address(void);

#ifdef __cplusplus
}
#endif
