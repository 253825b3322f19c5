/*
 * acp: one-sided communication between the processes of a job. Every process can copy between any two places of the
 * memory of all, and change words of it atomically, without any doing of the processes whose memory it is.
 *
 * Names, types and meaning are those of the basic layer and the channels of ACP, the Advanced Communication Primitives
 * (paper 4, section 2.1.3), so that programs written for it compile. What is left out is listed at the end.
 *
 *     acp_init(&argc, &argv);
 *     acp_ga_t mine = acp_query_starter_ga(acp_rank());
 *     acp_ga_t next = acp_query_starter_ga((acp_rank() + 1) % acp_procs());
 *     acp_handle_t put = acp_copy(next, mine, 8, ACP_HANDLE_NULL);
 *     if (acp_complete(put) != 0) fprintf(stderr, "%s\n", acp_error_message());
 *     acp_sync();
 *     acp_finalize();
 *
 * Started by `ayatori run --acp -n N -- PROGRAM`, mpirun (Open MPI), mpiexec.hydra (MPICH) or srun; by itself a process is
 * the only one. Variables of the environment: docs/acp.md.
 *
 * Global memory. A global address is a number that names a byte of some process. Each process has starter memory, zeroed
 * (1 MiB; ACP_STARTER_BYTES), whose addresses everybody knows, and registers more. An address may be computed with, stored
 * and sent within its region.
 *
 * Order. An operation starts when all operations of this process up to the one that `order` names are completed:
 *     ACP_HANDLE_NULL                    at once
 *     a handle                           after that operation and all before it
 *     ACP_HANDLE_ALL, ACP_HANDLE_CONT    after all operations before
 * Operations start in the order in which they were called; they may end in any. Between processes nothing is ordered but
 * by acp_sync, or by what one sees of another's memory: an aligned 1, 2, 4 or 8 bytes are written at once, and who sees
 * them (with a volatile or atomic read) sees all that the same process's completed operations wrote before.
 *
 * Completion. An operation is completed when its effect is in place in the destination's memory. Until then, local memory
 * that a copy reads must not change, and what it writes must not be used.
 *
 * How often. Atomics, copies of at most 16 bytes, and copies into memory of the caller or between two other processes are
 * carried out once. Other copies from the caller's memory may be written to their destination more than once until they
 * are completed, never later: after data, signal with a copy of at most 16 bytes that is ordered behind it.
 *
 * Bounds. A process has at most 1024 operations that are not completed; who starts another one waits.
 *
 * Errors. Functions give 0 when they have done their work and -1 otherwise, or the null of their type; then errno says
 * which kind of error, and acp_error_message() says in one line what was wrong. Common to all: EPERM outside of acp_init
 * and acp_finalize, ENOMEM. An operation that fails later is reported by the acp_complete that covers it: EFAULT, a rank
 * has not registered that memory; EHOSTDOWN, a rank is lost (nothing was heard of it for 30 seconds, ACP_TIMEOUT). Of a
 * job that has lost a rank nothing can be synchronised any more. No function prints or exits, but acp_abort.
 *
 * Threads. Any number of threads may call at the same time; but acp_init, acp_finalize and acp_reset need the library
 * alone, and acp_sync is for one thread at a time. "All operations before" are those of all threads. A thread that waits
 * moves everything on; while no thread calls for half a millisecond, a thread of the library does
 * (ACP_PROGRESS=poll: nobody does).
 *
 * Other processes. In a child of fork(2) the library is closed for good; memory is there, starter memory still that of
 * its parent, who goes on undisturbed. What exec(3) starts is another program and inherits nothing. A process that ends
 * without acp_finalize, or is killed, is lost to the others; exiting while threads are in the library is harmless. One
 * that is stopped (SIGSTOP) for less than ACP_TIMEOUT and goes on loses nothing.
 */
#ifndef ACP_H
#define ACP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What went wrong in this thread's last call that failed, in one line; "" if none has. Never NULL; valid until the
 * thread's next call that fails. Not in the original. */
const char *acp_error_message(void);

/* ------------------------------------------------------------------------------------------------ infrastructure */

/* Returns when all processes of the job have called it. The arguments may be NULL; they are left as they are. After
 * acp_finalize all may call it once more, and have the rank that they had. Errors: EINVAL for what the environment says,
 * errno of the system for addresses and memory, EHOSTDOWN; EPERM, it is open, or this is a child of fork. */
int acp_init(int *argc, char ***argv);

/* Completes all operations, and requests of channels (so a receive that nothing is sent for holds it up), and closes the
 * library; returns when all processes have called it. Registered memory is the program's alone again. What failed and no
 * acp_complete has covered is not told. Error: EHOSTDOWN; the library is closed all the same. */
int acp_finalize(void);

/* As acp_finalize and acp_init in one; from then on this process has another rank, different in each process and on the
 * same host. Starter memory is zeroed; all registrations and channels are gone. Errors: those of both, EINVAL. */
int acp_reset(int rank);

/* Prints `str` (may be NULL) and the last error to stderr and ends the process abnormally; launchers end the others. */
void acp_abort(const char *str);

/* Returns when all processes have called it. It completes no operation. Error: EHOSTDOWN. */
int acp_sync(void);

int acp_rank(void);  /* from 0 on */
int acp_procs(void); /* at least 1 */

/* ------------------------------------------------------------------------------------------------- global memory */

typedef uint64_t acp_atkey_t; /* names a registration; never used again */
typedef uint64_t acp_ga_t;    /* global address */

#define ACP_ATKEY_NULL 0LLU
#define ACP_GA_NULL 0LLU

/* ACP_GA_NULL and EINVAL: there is no such rank. */
acp_ga_t acp_query_starter_ga(int rank);

/* Gives `size` bytes at `addr` global addresses; they stay the program's, and must stay where they are until they are
 * unregistered. Registrations may overlap; there are at most 254 at a time. `color` would choose among networks: there is
 * one, 0. Errors (ACP_ATKEY_NULL): EINVAL, ENOSPC. */
acp_atkey_t acp_register_memory(void *addr, size_t size, int color);

/* Nobody may be using it; later registrations may get its addresses. Error: EINVAL, there is none such. */
int acp_unregister_memory(acp_atkey_t atkey);

/* The global address of `addr`. Error (ACP_GA_NULL): EINVAL, it is not in what was registered. */
acp_ga_t acp_query_ga(acp_atkey_t atkey, void *addr);

/* Where an address of this process is; NULL and EINVAL for another's, and for what is not registered. */
void *acp_query_address(acp_ga_t ga);

int acp_query_rank(acp_ga_t ga);  /* -1 and EINVAL for ACP_GA_NULL and what is no address */
int acp_query_color(acp_ga_t ga); /* 0; as acp_query_rank */
int acp_colors(void);             /* 1 */

/* ---------------------------------------------------------------------------------------------------- operations */

typedef int64_t acp_handle_t; /* names an operation of this process; rising */

#define ACP_HANDLE_NULL 0x0000000000000000LLU
#define ACP_HANDLE_CONT 0xfffffffffffffffeLLU
#define ACP_HANDLE_ALL 0xffffffffffffffffLLU

/* Copies `size` bytes, from 0 on, between any two processes, or within one: then as memmove does, should they overlap.
 * Errors (ACP_HANDLE_NULL): EINVAL, no address; EFAULT, memory of this process that is not registered. */
acp_handle_t acp_copy(acp_ga_t dst, acp_ga_t src, size_t size, acp_handle_t order);

/* Change the 4 or 8 bytes at `src`, of any process, in one step, and put what was there before to `dst`, which belongs to
 * the caller. Both are multiples of the size, and so are the places in memory that they name. They are atomic with respect
 * to each other and to atomic operations of the owner's processor. Errors: as acp_copy; EINVAL, not aligned (EFAULT when
 * it is completed, if only the owner can know). */
acp_handle_t acp_cas4(acp_ga_t dst, acp_ga_t src, uint32_t oldval, uint32_t newval, acp_handle_t order);
acp_handle_t acp_cas8(acp_ga_t dst, acp_ga_t src, uint64_t oldval, uint64_t newval, acp_handle_t order);
acp_handle_t acp_swap4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order);
acp_handle_t acp_swap8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order);
acp_handle_t acp_add4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order);
acp_handle_t acp_add8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order);
acp_handle_t acp_xor4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order);
acp_handle_t acp_xor8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order);
acp_handle_t acp_or4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order);
acp_handle_t acp_or8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order);
acp_handle_t acp_and4(acp_ga_t dst, acp_ga_t src, uint32_t value, acp_handle_t order);
acp_handle_t acp_and8(acp_ga_t dst, acp_ga_t src, uint64_t value, acp_handle_t order);

/* Returns when the operation and all before it have ended; at once for ACP_HANDLE_NULL and what was never handed out.
 * ACP_HANDLE_ALL: all so far. -1 if one of those that no earlier call has covered failed; the message tells of the first
 * of them. (The original returns nothing.) */
int acp_complete(acp_handle_t handle);

/* 0 if the operation and all before it have ended, otherwise 1; 0 for ACP_HANDLE_NULL and what was never handed out. */
int acp_inquire(acp_handle_t handle);

/* ------------------------------------------------------------------------------------------------------ channels */

/* Messages from one process to another, in order, straight into the receiver's memory: no buffer lies between. */
typedef struct chitem *acp_ch_t;
typedef struct chreqitem *acp_request_t;

#define ACP_CH_NULL ((acp_ch_t)0)
#define ACP_REQUEST_NULL ((acp_request_t)0)

/* This process's end; it does not wait for the other one. The n-th channel from `sender` to `receiver` that is created
 * here and the n-th that is created there are one. Errors (ACP_CH_NULL): EINVAL, both are the same rank or this process is
 * neither; ENOSPC, it has 256 ends already. */
acp_ch_t acp_create_ch(int sender, int receiver);

/* Start a message or the receiving of one; the request is to be waited for. The buffer must stay until then. What is
 * larger than the receiver's buffer is cut off. Errors (ACP_REQUEST_NULL): EINVAL, no such channel, or this is its other
 * end; ENOSPC, 1024 requests are not waited for. */
acp_request_t acp_nbsend_ch(acp_ch_t ch, void *buf, size_t size);
acp_request_t acp_nbrecv_ch(acp_ch_t ch, void *buf, size_t size);

/* Closes this end once its requests are done; done when the other end is closed, too. No request of it can be started
 * any more. Errors: as above; when waited for, EHOSTDOWN. */
acp_request_t acp_nbfree_ch(acp_ch_t ch);
int acp_free_ch(acp_ch_t ch);

/* Returns when it is done, with the bytes received, or 0; the request is gone. Errors ((size_t)-1): EINVAL; EHOSTDOWN;
 * EPIPE, the other end was closed before. */
size_t acp_wait_ch(acp_request_t request);

/* Waits for `count` requests; `sizes` (may be NULL) gets what acp_wait_ch would return. -1 if one of them failed. */
int acp_waitall_ch(acp_request_t *request, int count, size_t *sizes);

/* Left out of the original: segmented buffers (acp_*_segbuf), and its data library (acp_malloc, vectors, lists, …). */

#ifdef __cplusplus
}
#endif

#endif
