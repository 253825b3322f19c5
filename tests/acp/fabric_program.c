/* A program of libfabric, whose processes are ACP_RANK 0 and 1. It says what it does by its first argument. */
#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK(holds)                                                                           \
  do {                                                                                         \
    if (!(holds)) {                                                                            \
      fprintf(stderr, "%s:%d: rank %d: %s does not hold\n", __FILE__, __LINE__, rank, #holds); \
      _exit(1);                                                                                \
    }                                                                                          \
  } while (0)

enum { small = 64, messages = 100, big = 300000, bigs = 3, writes = 10, reads = 5, atomics = 20 };
enum { key = 77, memory_bytes = 1 << 20 };
static const uint64_t done_tag = 1ULL << 63;

static int rank;
static enum fi_progress progress = FI_PROGRESS_MANUAL;
static uint64_t extra_order, extra_caps;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_ep *endpoint;
static struct fid_cq *queue;
static struct fid_av *addresses;
static struct fid_cntr *sent;
static struct fi_info *info;
static fi_addr_t peer;

static struct fi_info *wanted(void) {
  struct fi_info *hints = fi_allocinfo();
  hints->caps = FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC | FI_DIRECTED_RECV | FI_SOURCE | extra_caps;
  hints->ep_attr->type = FI_EP_RDM;
  hints->tx_attr->msg_order = hints->rx_attr->msg_order = FI_ORDER_SAS | extra_order;
  hints->domain_attr->threading = FI_THREAD_SAFE;
  hints->domain_attr->data_progress = progress;
  hints->fabric_attr->prov_name = strdup("ayatori");
  return hints;
}

/* Names differ in the rank alone, bytes 8 to 11. */
static fi_addr_t address_of(uint32_t wanted_rank) {
  unsigned char name[16];
  size_t size = sizeof name;
  fi_addr_t found = FI_ADDR_NOTAVAIL;
  CHECK(fi_getname(&endpoint->fid, name, &size) == 0 && size == 16);
  memcpy(name + 8, &wanted_rank, 4);
  CHECK(fi_av_insert(addresses, name, 1, &found, 0, NULL) == 1);
  return found;
}

static void open_all(void) {
  struct fi_info *hints = wanted();
  struct fi_cq_attr cq = {.format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_UNSPEC};
  struct fi_av_attr av = {.type = FI_AV_MAP};
  struct fi_cntr_attr cntr = {.wait_obj = FI_WAIT_UNSPEC};
  CHECK(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &info) == 0);
  CHECK(fi_fabric(info->fabric_attr, &fabric, NULL) == 0);
  CHECK(fi_domain(fabric, info, &domain, NULL) == 0);
  CHECK(fi_endpoint(domain, info, &endpoint, NULL) == 0);
  CHECK(fi_cq_open(domain, &cq, &queue, NULL) == 0);
  CHECK(fi_av_open(domain, &av, &addresses, NULL) == 0);
  CHECK(fi_cntr_open(domain, &cntr, &sent, NULL) == 0);
  CHECK(fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV) == 0);
  CHECK(fi_ep_bind(endpoint, &addresses->fid, 0) == 0);
  CHECK(fi_ep_bind(endpoint, &sent->fid, FI_SEND) == 0);
  CHECK(fi_enable(endpoint) == 0);
  CHECK(address_of(0) == 0 && address_of(1) == 1);
  peer = (fi_addr_t)(1 - rank);
  fi_freeinfo(hints);
}

static void close_all(void) {
  CHECK(fi_close(&queue->fid) == -FI_EBUSY);
  CHECK(fi_close(&endpoint->fid) == 0);
  CHECK(fi_close(&sent->fid) == 0);
  CHECK(fi_close(&queue->fid) == 0);
  CHECK(fi_close(&addresses->fid) == 0);
  CHECK(fi_close(&domain->fid) == 0);
  CHECK(fi_close(&fabric->fid) == 0);
  fi_freeinfo(info);
}

/* The next completion, which must be no error. */
static struct fi_cq_tagged_entry next(void) {
  struct fi_cq_tagged_entry entry;
  ssize_t read;
  do {
    read = fi_cq_sread(queue, &entry, 1, NULL, 1000);
  } while (read == -FI_EAGAIN);
  CHECK(read == 1);
  return entry;
}

static int next_error(void) {
  struct fi_cq_tagged_entry entry;
  struct fi_cq_err_entry error = {0};
  ssize_t read;
  do {
    read = fi_cq_sread(queue, &entry, 1, NULL, 1000);
  } while (read == -FI_EAGAIN || read == 1);
  CHECK(read == -FI_EAVAIL && fi_cq_readerr(queue, &error, 0) == 1);
  return error.err;
}

#define POST(call)                                              \
  do {                                                          \
    ssize_t posted;                                             \
    while ((posted = (call)) == -FI_EAGAIN) fi_cntr_read(sent); \
    CHECK(posted == 0);                                         \
  } while (0)

static int told_of_write;

/* The next completion of an operation of ours; the peer may be ahead of us, and tell us of its write before. */
static struct fi_cq_tagged_entry next_own(void) {
  struct fi_cq_tagged_entry entry;
  while (((entry = next()).flags & FI_REMOTE_WRITE) != 0) {
    CHECK(entry.flags == (FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA) && entry.data == 4711 && entry.len == 100000);
    told_of_write = 1;
  }
  return entry;
}

/* Waits until the peer is here, too. Two completions. */
static void meet(void) {
  static int token;
  char nothing;
  POST(fi_trecv(endpoint, &nothing, 0, NULL, peer, done_tag, 0, &token));
  POST(fi_tsend(endpoint, &nothing, 0, NULL, peer, done_tag, &token));
  for (int seen = 0; seen < 2; ++seen) CHECK(next_own().op_context == &token);
}

static void fill(unsigned char *bytes, size_t size, unsigned seed) {
  for (size_t i = 0; i < size; ++i) bytes[i] = (unsigned char)(seed + i * 7 + (i >> 8));
}

static void check(const unsigned char *bytes, size_t size, unsigned seed) {
  for (size_t i = 0; i < size; ++i) CHECK(bytes[i] == (unsigned char)(seed + i * 7 + (i >> 8)));
}

/* All are sent before one is received, and received from the last to the first. */
static void exchange_small(void) {
  static unsigned char out[messages][small], in[messages][small];
  for (int i = 0; i < messages; ++i) {
    fill(out[i], small, (unsigned)i);
    POST(fi_tsend(endpoint, out[i], small, NULL, peer, (uint64_t)i, out[i]));
  }
  for (int i = messages; i-- > 0;) POST(fi_trecv(endpoint, in[i], small, NULL, FI_ADDR_UNSPEC, (uint64_t)i, 0, in[i]));
  for (int seen = 0; seen < 2 * messages; ++seen) {
    const struct fi_cq_tagged_entry entry = next();
    if ((entry.flags & FI_RECV) == 0) continue;
    CHECK(entry.len == small && entry.buf == in[entry.tag] && entry.op_context == in[entry.tag]);
    check(entry.buf, small, (unsigned)entry.tag);
  }
}

static void exchange_big(void) {
  static unsigned char out[bigs][big], in[bigs][big];
  for (int i = 0; i < bigs; ++i) {
    fill(out[i], big, (unsigned)i);
    POST(fi_tsend(endpoint, out[i], big, NULL, peer, 5, out[i]));
    POST(fi_trecv(endpoint, in[i], big, NULL, peer, 5, 0, in[i]));
  }
  for (int seen = 0; seen < 2 * bigs; ++seen) (void)next();
  for (int i = 0; i < bigs; ++i) check(in[i], big, (unsigned)i);
}

static void cut_and_look(void) {
  char out[10] = "truncated", in[4];
  struct fi_context context;
  struct iovec piece = {in, sizeof in};
  struct fi_msg_tagged look = {.addr = peer, .tag = 9, .context = &context};
  struct fi_cq_err_entry error = {0};
  struct fi_cq_tagged_entry entry;
  CHECK(fi_trecvmsg(endpoint, &look, FI_PEEK) == 0 && next_error() == FI_ENOMSG);
  meet();
  POST(fi_tsend(endpoint, out, sizeof out, NULL, peer, 9, out));
  for (ssize_t read = 0; read != 1;) {
    CHECK(fi_trecvmsg(endpoint, &look, FI_PEEK | FI_CLAIM) == 0);
    do {
      read = fi_cq_read(queue, &entry, 1);
    } while (read == -FI_EAGAIN || (read == 1 && (entry.flags & FI_RECV) == 0)); /* our message may end meanwhile */
    if (read != 1) CHECK(read == -FI_EAVAIL && fi_cq_readerr(queue, &error, 0) == 1 && error.err == FI_ENOMSG);
  }
  CHECK(entry.len == sizeof out && entry.tag == 9);
  look.msg_iov = &piece;
  look.iov_count = 1;
  CHECK(fi_trecvmsg(endpoint, &look, FI_CLAIM) == 0);
  CHECK(next_error() == FI_ETRUNC && memcmp(in, "trun", 4) == 0);
  CHECK(fi_cntr_wait(sent, messages + bigs + 2, -1) == 0); /* so that its completion is in the queue */
  POST(fi_trecv(endpoint, in, 4, NULL, peer, 10, 0, in));
  CHECK(fi_cancel(&endpoint->fid, in) == 0 && next_error() == FI_ECANCELED);
  CHECK(fi_cancel(&endpoint->fid, in) == -FI_ENOENT);
}

static void access_memory(void) {
  static unsigned char shared[memory_bytes], local[memory_bytes];
  struct fid_mr *region;
  uint64_t value;
  CHECK(fi_mr_reg(domain, shared, sizeof shared, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, key, 0, &region, NULL) == 0);
  CHECK(fi_mr_key(region) == key);
  meet();
  for (int i = 0; i < writes; ++i) {
    fill(local + i * 1000, 1000, (unsigned)i);
    POST(fi_write(endpoint, local + i * 1000, 1000, NULL, peer, 8 + (uint64_t)i * 1000, key, local));
  }
  for (int i = 0; i < writes; ++i) CHECK(next_own().flags == (FI_RMA | FI_WRITE));
  fill(local + 500000, 100000, 3);
  POST(fi_writedata(endpoint, local + 500000, 100000, NULL, 4711, peer, 500000, key, local));
  CHECK(next_own().flags == (FI_RMA | FI_WRITE));
  if (!told_of_write) CHECK(next().data == 4711);
  check(shared + 500000, 100000, 3);
  for (int i = 0; i < writes; ++i) check(shared + 8 + i * 1000, 1000, (unsigned)i);
  for (int i = 0; i < reads; ++i) POST(fi_read(endpoint, local + 700000, 100000, NULL, peer, 500000, key, local));
  for (int i = 0; i < reads; ++i) CHECK(next().flags == (FI_RMA | FI_READ));
  check(local + 700000, 100000, 3);
  const uint64_t one = 1;
  for (int i = 0; i < atomics; ++i) {
    POST(fi_fetch_atomic(endpoint, &one, 1, NULL, &value, NULL, peer, 0, key, FI_UINT64, FI_SUM, &value));
    CHECK(next().op_context == &value && value == (uint64_t)i);
  }
  POST(fi_write(endpoint, local, 8, NULL, peer, memory_bytes, key, local));
  CHECK(next_error() == FI_EACCES);
  POST(fi_read(endpoint, local, 8, NULL, peer, 0, key + 1, local));
  CHECK(next_error() == FI_EACCES);
  meet();
  CHECK(fi_close(&region->fid) == 0);
}

static void operations(void) {
  exchange_small();
  exchange_big();
  cut_and_look();
  access_memory();
  CHECK(fi_cntr_read(sent) == messages + bigs + 3 + 1);
  fprintf(stderr, "rank %d: good\n", rank);
}

/* What is not offered is refused, and by fi_getinfo already. */
static void refusals(void) {
  struct fi_info *hints, *found;
#define REFUSED(change)                                                                \
  do {                                                                                 \
    hints = wanted();                                                                  \
    change;                                                                            \
    CHECK(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &found) == -FI_ENODATA); \
    fi_freeinfo(hints);                                                                \
  } while (0)
  REFUSED(hints->caps |= FI_MULTICAST);
  REFUSED(hints->caps |= FI_RMA_EVENT);
  REFUSED(hints->caps |= FI_HMEM);
  REFUSED(hints->ep_attr->type = FI_EP_MSG);
  REFUSED(hints->tx_attr->msg_order |= FI_ORDER_RAS);
  REFUSED(hints->rx_attr->comp_order = FI_ORDER_STRICT);
  REFUSED(hints->tx_attr->inject_size = 1 << 20);
  REFUSED(hints->tx_attr->iov_limit = 5);
  REFUSED(hints->tx_attr->rma_iov_limit = 2);
  REFUSED(hints->domain_attr->max_ep_tx_ctx = 2);
  REFUSED(hints->tx_attr->op_flags = FI_COMMIT_COMPLETE);
  REFUSED(hints->src_addr = calloc(1, hints->src_addrlen = 16));
  hints = wanted();
  CHECK(fi_getinfo(FI_VERSION(1, 17), "localhost", "7", 0, hints, &found) == -FI_ENODATA);
  fi_freeinfo(hints);
  open_all();
  struct fi_cq_attr cq = {.wait_obj = FI_WAIT_FD};
  struct fid_cq *none;
  struct fid_ep *scalable;
  CHECK(fi_cq_open(domain, &cq, &none, NULL) == -FI_ENOSYS);
  CHECK(fi_scalable_ep(domain, info, &scalable, NULL) == -FI_ENOSYS);
  char byte = 0;
  struct iovec five[5] = {{&byte, 1}, {&byte, 1}, {&byte, 1}, {&byte, 1}, {&byte, 1}};
  CHECK(fi_sendv(endpoint, five, NULL, 5, peer, NULL) == -FI_EINVAL);
  CHECK(fi_send(endpoint, &byte, 1, NULL, 99, NULL) == -FI_EADDRNOTAVAIL);
  unsigned char stranger[16] = {1};
  fi_addr_t address;
  CHECK(fi_av_insert(addresses, stranger, 1, &address, 0, NULL) == 0 && address == FI_ADDR_NOTAVAIL);
  close_all();
  fprintf(stderr, "rank %d: good\n", rank);
}

#include "fabric_infos.h"
#include "fabric_pieces.h"

static void end(int number) {
  (void)number;
  _exit(0);
}

/* Rank 1 ends without a word. */
static void lost(void) {
  static unsigned char out[big], in[8];
  static pid_t other;
  open_all();
  meet();
  /* Rank 0 ends rank 1, when all that both have sent has arrived. */
  if (rank == 1) {
    other = getpid();
    signal(SIGTERM, end);
    CHECK(fi_tinject(endpoint, &other, sizeof other, peer, 3) == 0);
    for (;;) (void)next();
  }
  CHECK(fi_trecv(endpoint, &other, sizeof other, NULL, peer, 3, 0, &other) == 0);
  CHECK(next().op_context == &other && kill(other, SIGTERM) == 0);
  /* An injected message has no context: no completion could say which one has failed. */
  CHECK(fi_tinject(endpoint, out, 8, peer, 4) == 0);
  CHECK(fi_tsend(endpoint, out, big, NULL, peer, 5, out) == 0);
  CHECK(fi_trecv(endpoint, in, sizeof in, NULL, peer, 6, 0, in) == 0);
  CHECK(next_error() == FI_EHOSTDOWN);
  CHECK(next_error() == FI_EHOSTDOWN);
  CHECK(fi_tsend(endpoint, out, 8, NULL, peer, 5, out) == -FI_EHOSTDOWN);
  fprintf(stderr, "rank 0: good\n");
  _exit(0);
}

static void make(const char *file) { fclose(fopen(file, "w")); }

static void wait_for(const char *file) {
  while (access(file, F_OK) != 0) usleep(10000);
}

/* A process that waits for a file makes no calls. What rank 1 has sent arrives, although these are its first messages.
 * Then rank 0 uses the memory of rank 1. */
static void by_itself(const char *sent_file, const char *used_file) {
  enum { count = 20 };
  static uint64_t out[count], in[count], shared = 7, seen;
  struct fid_mr *region;
  progress = FI_PROGRESS_UNSPEC;
  open_all();
  CHECK(info->domain_attr->data_progress == FI_PROGRESS_AUTO);
  if (rank == 0) {
    for (int i = 0; i < count; ++i) CHECK(fi_trecv(endpoint, &in[i], 8, NULL, peer, 5, 0, &in[i]) == 0);
    for (int i = 0; i < count; ++i) CHECK(next().op_context == &in[i]);
    make(sent_file);
  } else {
    for (int i = 0; i < count; ++i) POST(fi_tinject(endpoint, &out[i], 8, peer, 5));
    wait_for(sent_file);
  }
  CHECK(fi_mr_reg(domain, &shared, 8, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, key, 0, &region, NULL) == 0);
  meet();
  if (rank == 0) {
    POST(fi_read(endpoint, &seen, 8, NULL, peer, 0, key, &seen));
    CHECK(next().op_context == &seen && seen == 7);
    seen = 8;
    POST(fi_atomic(endpoint, &seen, 1, NULL, peer, 0, key, FI_UINT64, FI_SUM, &seen));
    CHECK(next().op_context == &seen);
    make(used_file);
  } else {
    wait_for(used_file);
    CHECK(shared == 15);
  }
  meet();
  CHECK(fi_close(&region->fid) == 0);
  close_all();
  fprintf(stderr, "rank %d: good\n", rank);
}

/* A peer that does not look at its receives gets many times more messages than a queue holds. */
static void flood(int seconds) {
  enum { count = 20000 };
  static uint64_t out[count], in[count];
  open_all();
  meet();
  if (rank == 1) {
    sleep((unsigned)seconds);
    for (uint64_t i = 0; i < count; ++i) POST(fi_trecv(endpoint, &in[i], 8, NULL, peer, 5, 0, &in[i]));
    for (uint64_t i = 0; i < count; ++i) CHECK(next().op_context == &in[i] && in[i] == i);
  } else {
    for (uint64_t i = 0; i < count; ++i) {
      out[i] = i;
      POST(fi_tsend(endpoint, &out[i], 8, NULL, peer, 5, &out[i]));
    }
    for (uint64_t i = 0; i < count; ++i) (void)next();
  }
  meet();
  close_all();
  fprintf(stderr, "rank %d: good\n", rank);
}

int main(int argc, char **argv) {
  rank = atoi(getenv("ACP_RANK"));
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "operations") == 0) {
    open_all();
    operations();
    close_all();
  } else if (strcmp(what, "refusals") == 0) {
    refusals();
  } else if (strcmp(what, "infos") == 0) {
    infos(argv[2]);
  } else if (strcmp(what, "pieces") == 0) {
    pieces();
  } else if (strcmp(what, "lost") == 0) {
    lost();
  } else if (strcmp(what, "by_itself") == 0) {
    by_itself(argv[2], argv[3]);
  } else {
    flood(atoi(argv[2]));
  }
  return 0;
}
