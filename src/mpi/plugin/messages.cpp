#include "messages.hpp"

#include <algorithm>

#include "own_progress.hpp"
#include "process.hpp"

namespace ayatori::plugin {

namespace {

/// Executions that block have the tags from 0 on, one at a time; others share the upper half.
TagRanges tags_of_executions() {
  int* largest = nullptr;
  int known = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &known);
  constexpr int guaranteed = 32767;  // MPI 3.1, section 8.1.2
  const int last = known != 0 ? *largest : guaranteed;
  return {last / 2 + 1, last};
}

}  // namespace

Messages::Messages(MPI_Comm own, std::span<const NodeParticipant> near, Rank ranks, std::uint32_t number)
    : own_(own), number_(number), all_near_(near.size() == ranks), tags_(tags_of_executions()) {
  if (process().memory == nullptr || near.size() < 2) return;
  near_ = std::make_unique<MemoryCarrier>(*process().memory, near, number_ << 32);
}

void Messages::begin_execution() {
  ++executions_;
  if (near_ != nullptr) near_->set_context(context());
}

void Messages::use_sockets(std::vector<Rank> processes) {
  by_sockets_ = std::make_shared<const std::vector<Rank>>(std::move(processes));
}

std::uint64_t Messages::take_context() {
  return (number_ << 32U) | concurrent_execution | (outstanding_executions_++ & ~concurrent_execution);
}

bool Messages::has_tags(std::uint32_t streams) const { return tags_.has(static_cast<int>(streams)); }

/// Only a program with thousands of outstanding calls on one communicator waits here.
int Messages::take_tags(std::uint32_t streams) {
  while (true) {
    {
      const std::lock_guard lock(tags_mutex_);
      if (const auto first = tags_.take(static_cast<int>(streams))) return *first;
    }
    let_mpi_progress();
  }
}

void Messages::give_back_tags(int first) {
  const std::lock_guard lock(tags_mutex_);
  tags_.give_back(first);
}

CallCarrier::CallCarrier(Messages& messages, const RankProgram& program, bool outstanding)
    : messages_(messages), streams_(std::max<std::uint32_t>(1, program.stream_count())), outstanding_(outstanding) {
  const bool has_near = messages.near_ != nullptr && !outstanding;
  if (has_near && messages.all_near_) {
    carrier_ = messages.near_.get();
    return;
  }
  if (messages.by_sockets_ != nullptr) {
    by_sockets_ = std::make_unique<SocketCarrier>(*process().sockets, messages.by_sockets_, program.stream_count());
    carrier_ = by_sockets_.get();
  } else {
    by_mpi_ = std::make_unique<MpiCarrier>(messages.own_, program, process().settings.max_count);
    carrier_ = by_mpi_.get();
  }
  if (!has_near) return;
  both_ = std::make_unique<CombinedCarrier>(*messages.near_, *carrier_);
  carrier_ = both_.get();
}

void CallCarrier::begin_execution() {
  if (!outstanding_) {
    messages_.begin_execution();
    if (by_sockets_ != nullptr) by_sockets_->begin_execution(messages_.context());
    return;
  }
  if (by_sockets_ != nullptr) return by_sockets_->begin_execution(messages_.take_context());
  first_tag_ = messages_.take_tags(streams_);
  by_mpi_->set_first_tag(first_tag_);
}

void CallCarrier::end_execution() {
  if (by_sockets_ != nullptr) return by_sockets_->end_execution();
  if (outstanding_) messages_.give_back_tags(first_tag_);
}

}  // namespace ayatori::plugin
