/*
 * acp: one-sided communication between the processes of a job. Every process can copy between any two addresses in the
 * memory of all processes, and change words of it atomically. The owners of the memory need not call anything.
 *
 * Names, types and meaning are those of the basic layer and the channels of ACP, the Advanced Communication Primitives
 * (paper 4, section 2.1.3), so that programs written for it compile. What is left out is listed at the end.
 *
 *     if (acp_init(&argc, &argv) != 0) acp_abort("acp_init");
 *     acp_ga_t mine = acp_query_starter_ga(acp_rank());
 *     acp_ga_t next = acp_query_starter_ga((acp_rank() + 1) % acp_procs());
 *     acp_handle_t put = acp_copy(next, mine, 8, ACP_HANDLE_NULL);
 *     if (acp_complete(put) != 0) acp_abort("acp_copy");
 *     acp_sync();
 *     acp_finalize();
 *
 * A program is started by `ayatori acprun -n N PROGRAM`, mpirun (Open MPI), mpiexec.hydra (MPICH) or srun.
 * Started without a launcher, it is a job of one process. docs/acp.md lists the variables of the environment.
 *
 * Global memory. A global address is a number that names one byte of one process. Each process has starter memory,
 * zeroed (1 MiB; ACP_STARTER_BYTES), whose addresses every process can compute. It may register more. A program may store
 * global addresses, send them to others, and compute with them within a registration.
 *
 * Order. An operation starts when all operations of this process up to the one that `order` names are completed:
 *     ACP_HANDLE_NULL                    at once
 *     a handle                           after that operation and all before it
 *     ACP_HANDLE_ALL, ACP_HANDLE_CONT    after all operations before
 * Operations start in the order in which they were called, and may complete in any order. Between processes there are two
 * kinds of order: acp_sync, and reads of memory. An operation reads and writes aligned 1, 2, 4 or 8 bytes as a whole. A
 * process that reads them (with a volatile or atomic read) also sees the effects of all operations that the writing
 * process had completed before.
 *
 * Completion. An operation is completed when its effect is in the destination's memory. Until then the local memory
 * that a copy reads must not change, and the local memory that it writes must not be used.
 *
 * Exactly once. Atomics, copies of at most 16 bytes, and copies into memory of the caller or between two other processes
 * are carried out exactly once. Other copies from the caller's memory may be written to their destination more than once
 * until they are completed, and never after that. So to signal that data has arrived, use a copy of at most 16 bytes that
 * is ordered after the copy of the data.
 *
 * Bounds. At most 1024 operations of a process are not completed; a thread that starts another one waits.
 *
 * Errors. A function returns 0 on success and -1, or the null of its type, on failure. errno gives the kind of error, and
 * acp_error_message() describes it in one line. Every function can fail with EPERM (before acp_init and after
 * acp_finalize) and ENOMEM. The acp_complete that covers an operation reports its failure after the start: EFAULT, a rank
 * has not registered the memory; EHOSTDOWN, a rank is lost (silent for 30 seconds, ACP_TIMEOUT). A job that has lost a
 * rank cannot synchronise any more. Copies and atomics on starter memory of the same host need no reaction of its process:
 * they work even after the rank was lost. (Exception: an ACP_WIRES that reaches ranks of the same host over a network.) No
 * function prints or exits, except acp_abort, and acp_init with ACP_TAGS=off.
 *
 * Threads. Any number of threads may call at the same time, with two exceptions: acp_init, acp_finalize and acp_reset
 * need exclusive access, and acp_sync is for one thread at a time. "All operations before" are those of all threads.
 *
 * Progress. A thread that waits makes progress for other processes meanwhile. Calls that do not wait make progress from
 * time to time, at least in every 16th call. When no thread has called for half a millisecond, a progress thread of the
 * library takes over (with ACP_PROGRESS=poll there is none).
 *
 * Other processes. In a child of fork(2) the library is closed for good; starter memory stays shared with its parent
 * (if the host has several ranks), which is not disturbed. A program started by exec(3) inherits nothing. A process
 * that ends without acp_finalize, or is killed, is lost to the others; to exit while threads are in the library is
 * harmless. A process that is stopped (SIGSTOP) for less than ACP_TIMEOUT and goes on loses nothing.
 */
#ifndef ACP_H
#define ACP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the error message of the last failed call of this thread, in one line.
 *
 * The string is never NULL: "" if no call has failed yet. It is valid until the next failed call of this thread, and must
 * not be freed.
 * Threads: each thread has its own message. Not in the original. */
const char *acp_error_message(void);

/* ------------------------------------------------------------------------------------------------ infrastructure */

/* Opens the library. Returns when all processes of the job have called it. After acp_finalize, all processes may call
 * it again, and each has the rank that it had.
 *
 *   argc, argv   the arguments of main; may be NULL. They are neither read nor changed.
 * Returns 0, or -1.
 * Errors: EINVAL, a variable of the environment has an invalid value; EPERM, the library is open already, or
 * this is a child of fork; EHOSTDOWN, a rank is lost; the errno of the system if an address or memory is refused.
 * Threads: no other thread may be in the library. */
int acp_init(int *argc, char ***argv);

/* Completes all operations and all requests of channels, and closes the library; returns when all processes have called
 * it. A receive without a message blocks it. Registrations end. A failure that no acp_complete has reported is not
 * reported any more.
 *
 * Returns 0, or -1; the library is closed in either case, except after EPERM.
 * Errors: EPERM, the library is not open; EHOSTDOWN, a rank is lost.
 * Threads: no other thread may be in the library. */
int acp_finalize(void);

/* Does what acp_finalize and acp_init do, and gives this process another rank. Starter memory is zeroed; all
 * registrations and channels are gone.
 *
 *   rank         the new rank of this process, from 0 to acp_procs() - 1: a different one in each process, and one of
 *                the same host
 * Returns 0, or -1. After EINVAL the library is open as before; after other errors it is closed.
 * Errors: EINVAL, there is no such rank or it belongs to another host; and those of acp_finalize and acp_init.
 * Threads: no other thread may be in the library. */
int acp_reset(int rank);

/* Prints a message and the last error of this thread to stderr, and ends the process by abort(3); launchers then end
 * the other processes. Does not return.
 *
 *   str          the message; may be NULL
 * Threads: any thread at any time. */
void acp_abort(const char *str);

/* A barrier: returns when all processes have called it. It completes no operation.
 *
 * Returns 0, or -1.
 * Errors: EHOSTDOWN, a rank is lost.
 * Threads: one thread at a time; others may call other functions meanwhile. */
int acp_sync(void);

/* Returns the rank of this process, from 0 to acp_procs() - 1; -1 if the library is not open (EPERM). */
int acp_rank(void);

/* Returns the number of processes of the job, at least 1; -1 if the library is not open (EPERM). */
int acp_procs(void);

/* ------------------------------------------------------------------------------------------------- global memory */

typedef uint64_t acp_atkey_t; /* names a registration; no later registration has the same */
typedef uint64_t acp_ga_t;    /* a global address: names one byte of one process */

#define ACP_ATKEY_NULL 0LLU
#define ACP_GA_NULL 0LLU

/* Finds the starter memory of a process.
 *
 *   rank         of any process, from 0 to acp_procs() - 1
 * Returns the global address of its first byte, or ACP_GA_NULL. It is a multiple of 4096.
 * Errors: EINVAL, there is no such rank.
 * Threads: any number at a time. */
acp_ga_t acp_query_starter_ga(int rank);

/* Registers memory of this process: its bytes get global addresses. The memory stays the program's, and must neither
 * move nor be freed until it is unregistered. Registrations may overlap; a process has at most 254 of its own at a
 * time.
 *
 *   addr         the first byte; not NULL
 *   size         in bytes, at least 1
 *   color        the network; there is one, 0
 * Returns the key of the registration, or ACP_ATKEY_NULL.
 * Errors: EINVAL, an argument is out of range; ENOSPC, there are 254 registrations already.
 * Threads: any number at a time. */
acp_atkey_t acp_register_memory(void *addr, size_t size, int color);

/* Ends a registration. No process may be using its addresses; a later registration may get the same ones.
 *
 *   atkey        from acp_register_memory
 * Returns 0, or -1.
 * Errors: EINVAL, there is no such registration, or it is that of starter memory.
 * Threads: any number at a time. */
int acp_unregister_memory(acp_atkey_t atkey);

/* Finds the global address of a byte of this process.
 *
 *   atkey        the registration that it belongs to
 *   addr         the byte
 * Returns its global address, or ACP_GA_NULL.
 * Errors: EINVAL, there is no such registration, or the byte does not belong to it.
 * Threads: any number at a time. */
acp_ga_t acp_query_ga(acp_atkey_t atkey, void *addr);

/* Finds the byte of this process that a global address names.
 *
 *   ga           a global address of this process
 * Returns a pointer to it, or NULL.
 * Errors: EINVAL, the address belongs to another process, or to no registration.
 * Threads: any number at a time. */
void *acp_query_address(acp_ga_t ga);

/* Finds the process that a global address belongs to.
 *
 *   ga           a global address of any process; its registration is not checked
 * Returns the rank, or -1.
 * Errors: EINVAL, the number is not a global address.
 * Threads: any number at a time. */
int acp_query_rank(acp_ga_t ga);

/* Finds the network that a global address belongs to; parameter, errors and threads are those of acp_query_rank.
 *
 * Returns 0, or -1. */
int acp_query_color(acp_ga_t ga);

/* Returns the number of networks: 1. Needs no acp_init. */
int acp_colors(void);

/* ---------------------------------------------------------------------------------------------------- operations */

typedef int64_t acp_handle_t; /* names an operation of this process; a later operation has a larger one */

#define ACP_HANDLE_NULL 0x0000000000000000LLU
#define ACP_HANDLE_CONT 0xfffffffffffffffeLLU
#define ACP_HANDLE_ALL 0xffffffffffffffffLLU

/* Starts a copy between any two processes, or within one. Where both ranges are in one process they may overlap: the
 * result is that of memmove(3). Waits if 1024 operations of this process are not completed.
 *
 *   dst          the first byte to be written, in any process
 *   src          the first byte to be read, in any process
 *   size         in bytes, from 0 on
 *   order        which operations must be completed before this one starts (see Order above)
 * Returns a handle for acp_complete and acp_inquire, or ACP_HANDLE_NULL.
 * Errors: EINVAL, dst or src is not a global address; EFAULT, it names memory of this process that is not registered.
 * acp_complete reports later errors.
 * Threads: any number at a time. */
acp_handle_t acp_copy(acp_ga_t dst, acp_ga_t src, size_t size, acp_handle_t order);

/* Start an atomic operation on 4 or 8 bytes of any process; the name ends with their number:
 *
 *   acp_cas      writes newval if the value is oldval (compare and swap)
 *   acp_swap     writes value
 *   acp_add      adds value, modulo 2^32 or 2^64
 *   acp_xor, acp_or, acp_and     combines with value, bit by bit
 *
 *   dst          gets the value from before; must belong to this process
 *   src          the bytes to be changed, in any process. Both global addresses, and the memory addresses that they name,
 *                are multiples of the size.
 *   oldval, newval, value     the operands, as above
 *   order        which operations must be completed before this one starts (see Order above)
 * Return a handle for acp_complete and acp_inquire, or ACP_HANDLE_NULL.
 * Errors: those of acp_copy; EINVAL, dst belongs to another process, or an address is not aligned (if only the owner can
 * detect that, acp_complete reports EFAULT).
 * Atomicity: with respect to each other, and to atomic instructions of the processor that owns the memory.
 * Threads: any number at a time. */
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

/* Waits until an operation and all operations before it have ended. (The original returns nothing.)
 *
 *   handle       from any function that starts an operation; ACP_HANDLE_ALL: all operations so far. With
 *                ACP_HANDLE_NULL, and with a number that is not a handle, it returns 0 at once.
 * Returns 0, or -1 if one of these operations failed that no earlier call has covered; errno and the message are those
 * of the first that failed. No failure goes unreported. Up to 1024 failures that no call has covered are kept apart
 * (neighbours with the same cause count as one). If there are more, all operations from the 1024th failure to the latest
 * one count as failed, even those that succeeded.
 * Errors: EFAULT, a rank has not registered the memory; EHOSTDOWN, a rank is lost.
 * Threads: any number at a time. Of several that cover the same failure, one reports it. */
int acp_complete(acp_handle_t handle);

/* Tests, without waiting, whether an operation and all operations before it have ended. A program that does nothing but
 * call it yields its core after 10 microseconds in which nothing arrives. If a program that computes has that core,
 * such calls sleep instead, for up to 0.1 ms.
 *
 *   handle       as acp_complete's
 * Returns 0 if they have ended, otherwise 1; 0 with errno EPERM if the library is not open.
 * Threads: any number at a time. */
int acp_inquire(acp_handle_t handle);

/* ------------------------------------------------------------------------------------------------------ channels */

/* A channel carries messages from one process to another, in order, straight into the receiver's memory: there is no
 * buffer between them. */
typedef struct chitem *acp_ch_t;
typedef struct chreqitem *acp_request_t;

#define ACP_CH_NULL ((acp_ch_t)0)
#define ACP_REQUEST_NULL ((acp_request_t)0)

/* Creates this process's end of a channel; does not wait for the other end. The n-th channel from `sender` to
 * `receiver` that is created here and the n-th that is created there are the two ends of one.
 *
 *   sender, receiver     two different ranks; one of them is this process
 * Returns the channel, to be freed by acp_free_ch or acp_nbfree_ch, or ACP_CH_NULL.
 * Errors: EINVAL, a rank is not as described; ENOSPC, this process has 256 ends of channels already.
 * Threads: any number at a time. */
acp_ch_t acp_create_ch(int sender, int receiver);

/* Start to send a message, and to receive one. Messages arrive in the order in which they were sent.
 *
 *   ch           a channel of which this process is the sender (acp_nbsend_ch) or the receiver (acp_nbrecv_ch)
 *   buf          the bytes to send, or the buffer for the message. The program must neither change nor free them until
 *                it has waited for the request
 *   size         in bytes, from 0 on. A message that is larger than the receiver's buffer is cut off at its end.
 * Return a request, to be waited for, or ACP_REQUEST_NULL.
 * Errors: EINVAL, there is no such channel, or this process is at its other end, or the channel is being freed; ENOSPC,
 * the program has not waited for 1024 requests.
 * Threads: any number at a time. */
acp_request_t acp_nbsend_ch(acp_ch_t ch, void *buf, size_t size);
acp_request_t acp_nbrecv_ch(acp_ch_t ch, void *buf, size_t size);

/* Starts to free this end of a channel. The request is done when all requests of this end are done and the other end is
 * freed, too. No further request of this end can be started.
 *
 *   ch           from acp_create_ch
 * Returns a request, to be waited for, or ACP_REQUEST_NULL.
 * Errors: EINVAL, there is no such channel, or it is being freed already; ENOSPC as above.
 * Threads: any number at a time. */
acp_request_t acp_nbfree_ch(acp_ch_t ch);

/* Frees this end of a channel: acp_nbfree_ch and acp_wait_ch in one.
 *
 *   ch           from acp_create_ch
 * Returns 0, or -1.
 * Errors: those of acp_nbfree_ch and acp_wait_ch.
 * Threads: any number at a time. */
int acp_free_ch(acp_ch_t ch);

/* Waits until a request is done, and frees it, whatever is returned.
 *
 *   request      from acp_nbsend_ch, acp_nbrecv_ch or acp_nbfree_ch
 * Returns the bytes that were received, at most the buffer's size; 0 for other requests; (size_t)-1 if it failed.
 * Errors: EINVAL, there is no such request; EHOSTDOWN, a rank is lost; EPIPE, the other end was freed before.
 * Threads: any number at a time, but one for each request. */
size_t acp_wait_ch(acp_request_t request);

/* Waits until several requests are done, and frees them, whatever is returned.
 *
 *   request      `count` requests
 *   count        from 0 on
 *   sizes        gets `count` results of acp_wait_ch; may be NULL
 * Returns 0, or -1 if one of them failed.
 * Errors: those of acp_wait_ch; errno and the message are those of the last that failed.
 * Threads: as acp_wait_ch. */
int acp_waitall_ch(acp_request_t *request, int count, size_t *sizes);

/* Left out of the original: segmented buffers (acp_*_segbuf). Its data library (acp_malloc, vectors, lists, …) runs over
 * this one: docs/acp.md. */

#ifdef __cplusplus
}
#endif

#endif
