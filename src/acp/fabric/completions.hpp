#pragma once
/// \file
/// Completion queues and counters of libfabric. A queue grows as it must: no completion is lost (FI_RM_ENABLED).

#include <rdma/fi_eq.h>

#include <deque>

#include "frame.hpp"
#include "refused.hpp"

namespace ayatori::fabric {

class Node;
struct Domain;

struct Completion {
  void* context = nullptr;
  std::uint64_t flags = 0;  ///< FI_SEND, FI_TAGGED, …
  std::size_t length = 0;
  void* buffer = nullptr;
  std::uint64_t data = 0;
  std::uint64_t tag = 0;
  fi_addr_t source = FI_ADDR_NOTAVAIL;
  int error = 0;           ///< a positive number of fi_errno.h
  std::size_t excess = 0;  ///< bytes that did not fit
};

/// Used under the lock of its Node, except by the C functions, which take it.
struct CompletionQueue : fid_cq {
  CompletionQueue(Domain& owner, const fi_cq_attr& attributes, void* its_context);

  void push(const Completion& completion) { entries.push_back(completion); }

  Domain& domain;
  Node& node;
  fi_cq_format format;
  bool waits;               ///< whether fi_cq_sread may be called
  std::uint32_t bound = 0;  ///< endpoints that write to it
  bool signalled = false;
  std::uint64_t reads_seen = 0;  ///< Node::reads() at the last read that found nothing
  std::deque<Completion> entries;
};

struct Counter : fid_cntr {
  Counter(Domain& owner, const fi_cntr_attr& attributes, void* its_context);

  Domain& domain;
  Node& node;
  bool waits;
  std::uint32_t bound = 0;
  std::uint64_t value = 0;
  std::uint64_t errors = 0;
};

}  // namespace ayatori::fabric
