#include "completions.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "domain.hpp"
#include "loader.hpp"
#include "node.hpp"

namespace ayatori::fabric {

namespace {

// ---- Queues

CompletionQueue& queue_of(fid_cq* queue) { return *static_cast<CompletionQueue*>(queue); }

/// Writes a completion as the queue's format has it, each of which begins as the shorter one does.
std::byte* write_entry(const CompletionQueue& queue, const Completion& completion, std::byte* at) {
  constexpr std::array<std::size_t, 5> sizes{sizeof(fi_cq_entry), sizeof(fi_cq_entry), sizeof(fi_cq_msg_entry),
                                             sizeof(fi_cq_data_entry), sizeof(fi_cq_tagged_entry)};
  const fi_cq_tagged_entry entry{.op_context = completion.context,
                                 .flags = completion.flags,
                                 .len = completion.length,
                                 .buf = completion.buffer,
                                 .data = completion.data,
                                 .tag = completion.tag};
  const std::size_t size = sizes.at(queue.format);
  std::memcpy(at, &entry, size);
  return at + size;
}

/// An error must be read before what follows it.
ssize_t take_entries(CompletionQueue& queue, void* into, size_t count, fi_addr_t* sources) {
  if (queue.entries.empty()) return -FI_EAGAIN;
  auto* at = static_cast<std::byte*>(into);
  std::size_t taken = 0;
  for (; taken < count && !queue.entries.empty() && queue.entries.front().error == 0; ++taken) {
    const Completion& completion = queue.entries.front();
    at = write_entry(queue, completion, at);
    if (sources) sources[taken] = completion.source;
    queue.entries.pop_front();
  }
  return taken > 0 || count == 0 ? static_cast<ssize_t>(taken) : -FI_EAVAIL;
}

/// Progress is made only if there is nothing to read. Programs read their queues until there is nothing, and then act
/// upon what they have read: this last read of each queue makes no progress, so that what they send carries the
/// acknowledgements.
ssize_t read_from(fid_cq* cq, void* into, size_t count, fi_addr_t* sources) {
  CompletionQueue& queue = queue_of(cq);
  bool idle = false;
  ssize_t taken = 0;
  {
    const Node::Lock lock(queue.node);
    const std::uint64_t reads = queue.node.reads();
    if (queue.entries.empty() && std::exchange(queue.reads_seen, reads) == reads) idle = queue.node.round_is_idle();
    taken = take_entries(queue, into, count, sources);
    if (taken > 0) queue.node.note_read();
  }
  // The process that this one waits for may need its core.
  if (idle && taken == -FI_EAGAIN) std::this_thread::yield();
  return taken;
}

ssize_t read(fid_cq* cq, void* into, size_t count) { return read_from(cq, into, count, nullptr); }

ssize_t read_error(fid_cq* cq, fi_cq_err_entry* into, uint64_t) {
  CompletionQueue& queue = queue_of(cq);
  const Node::Lock lock(queue.node);
  if (queue.entries.empty() || queue.entries.front().error == 0) return -FI_EAGAIN;
  const Completion completion = queue.entries.front();
  queue.entries.pop_front();
  into->op_context = completion.context;
  into->flags = completion.flags;
  into->len = completion.length;
  into->buf = completion.buffer;
  into->data = completion.data;
  into->tag = completion.tag;
  into->olen = completion.excess;
  into->err = completion.error;
  into->prov_errno = completion.error;
  into->err_data_size = 0;
  return 1;
}

ssize_t wait_from(fid_cq* cq, void* into, size_t count, fi_addr_t* sources, const void*, int timeout) {
  CompletionQueue& queue = queue_of(cq);
  if (!queue.waits) return -FI_ENOSYS;
  const Node::Lock lock(queue.node);
  queue.node.wait([&] { return !queue.entries.empty() || queue.signalled; }, timeout);
  queue.signalled = false;
  return take_entries(queue, into, count, sources);
}

ssize_t wait(fid_cq* cq, void* into, size_t count, const void* condition, int timeout) {
  return wait_from(cq, into, count, nullptr, condition, timeout);
}

int signal(fid_cq* cq) {
  CompletionQueue& queue = queue_of(cq);
  if (!queue.waits) return -FI_ENOSYS;
  const Node::Lock lock(queue.node);
  queue.signalled = true;
  return 0;
}

const char* text_of(fid_cq*, int number, const void*, char* buffer, size_t size) {
  const char* const text = loader().text_of_error(number);
  if (!buffer || size == 0) return text;
  std::strncpy(buffer, text, size - 1);
  buffer[size - 1] = 0;
  return buffer;
}

int close_queue(fid* object) {
  CompletionQueue* const queue = &queue_of(reinterpret_cast<fid_cq*>(object));
  {
    const Node::Lock lock(queue->node);
    if (queue->bound > 0) return -FI_EBUSY;
    --queue->domain.users;
  }
  delete queue;
  return 0;
}

fi_ops* queue_object_functions() {
  static fi_ops made{sizeof(fi_ops), close_queue, refused, refused, refused, nullptr, refused};
  return &made;
}

fi_ops_cq* queue_functions() {
  static fi_ops_cq made{sizeof(fi_ops_cq), read, read_from, read_error, wait, wait_from, signal, text_of};
  return &made;
}

// ---- Counters

Counter& counter_of(fid_cntr* counter) { return *static_cast<Counter*>(counter); }

uint64_t read_counter(fid_cntr* cntr) {
  Counter& counter = counter_of(cntr);
  const Node::Lock lock(counter.node);
  counter.node.round();
  return counter.value;
}

uint64_t read_errors(fid_cntr* cntr) {
  Counter& counter = counter_of(cntr);
  const Node::Lock lock(counter.node);
  counter.node.round();
  return counter.errors;
}

template <std::uint64_t Counter::* Number, bool Adds>
int change(fid_cntr* cntr, uint64_t value) {
  Counter& counter = counter_of(cntr);
  const Node::Lock lock(counter.node);
  counter.*Number = Adds ? counter.*Number + value : value;
  return 0;
}

int wait_for(fid_cntr* cntr, uint64_t threshold, int timeout) {
  Counter& counter = counter_of(cntr);
  if (!counter.waits) return -FI_ENOSYS;
  const Node::Lock lock(counter.node);
  const std::uint64_t errors = counter.errors;
  const bool ended = counter.node.wait([&] { return counter.value >= threshold || counter.errors != errors; }, timeout);
  if (!ended) return -FI_ETIMEDOUT;
  return counter.errors != errors ? -FI_EAVAIL : 0;
}

int close_counter(fid* object) {
  Counter* const counter = &counter_of(reinterpret_cast<fid_cntr*>(object));
  {
    const Node::Lock lock(counter->node);
    if (counter->bound > 0) return -FI_EBUSY;
    --counter->domain.users;
  }
  delete counter;
  return 0;
}

fi_ops* counter_object_functions() {
  static fi_ops made{sizeof(fi_ops), close_counter, refused, refused, refused, nullptr, refused};
  return &made;
}

fi_ops_cntr* counter_functions() {
  static fi_ops_cntr made{sizeof(fi_ops_cntr),
                          read_counter,
                          read_errors,
                          change<&Counter::value, true>,
                          change<&Counter::value, false>,
                          wait_for,
                          change<&Counter::errors, true>,
                          change<&Counter::errors, false>};
  return &made;
}

/// Waiting is offered inside of this library alone: nothing that a program could hand to poll(2).
bool is_offered(fi_wait_obj wait) { return wait == FI_WAIT_NONE || wait == FI_WAIT_UNSPEC || wait == FI_WAIT_YIELD; }

}  // namespace

CompletionQueue::CompletionQueue(Domain& owner, const fi_cq_attr& attributes, void* its_context)
    : fid_cq{},
      domain(owner),
      node(owner.node),
      format(attributes.format == FI_CQ_FORMAT_UNSPEC ? FI_CQ_FORMAT_CONTEXT : attributes.format),
      waits(attributes.wait_obj != FI_WAIT_NONE) {
  fid.fclass = FI_CLASS_CQ;
  fid.context = its_context;
  fid.ops = queue_object_functions();
  ops = queue_functions();
}

Counter::Counter(Domain& owner, const fi_cntr_attr& attributes, void* its_context)
    : fid_cntr{}, domain(owner), node(owner.node), waits(attributes.wait_obj != FI_WAIT_NONE) {
  fid.fclass = FI_CLASS_CNTR;
  fid.context = its_context;
  fid.ops = counter_object_functions();
  ops = counter_functions();
}

int open_queue(fid_domain* domain, fi_cq_attr* attributes, fid_cq** made, void* context) {
  if (!is_offered(attributes->wait_obj) || attributes->wait_cond != FI_CQ_COND_NONE) return -FI_ENOSYS;
  if ((attributes->flags & ~FI_AFFINITY) != 0 || attributes->format > FI_CQ_FORMAT_TAGGED) return -FI_ENOSYS;
  auto& owner = *static_cast<Domain*>(domain);
  auto* const queue = new (std::nothrow) CompletionQueue(owner, *attributes, context);
  if (!queue) return -FI_ENOMEM;
  const Node::Lock lock(owner.node);
  ++owner.users;
  *made = queue;
  return 0;
}

int open_counter(fid_domain* domain, fi_cntr_attr* attributes, fid_cntr** made, void* context) {
  if (!is_offered(attributes->wait_obj) || attributes->events != FI_CNTR_EVENTS_COMP || attributes->flags != 0) {
    return -FI_ENOSYS;
  }
  auto& owner = *static_cast<Domain*>(domain);
  auto* const counter = new (std::nothrow) Counter(owner, *attributes, context);
  if (!counter) return -FI_ENOMEM;
  const Node::Lock lock(owner.node);
  ++owner.users;
  *made = counter;
  return 0;
}

}  // namespace ayatori::fabric
