#include "messages.hpp"

#include <algorithm>
#include <utility>

#include "own_progress.hpp"
#include "process.hpp"

namespace ayatori::plugin {

/// Executions that block have the tags in the lower half of the block, one at a time; others share the upper half.
Messages::Messages(std::span<const NodeParticipant> near, std::vector<Rank> processes, std::uint32_t block)
    : block_(block),
      first_tag_(process().tags->first_tag(block)),
      all_near_(near.size() == processes.size()),
      processes_(std::make_shared<const std::vector<Rank>>(std::move(processes))),
      tags_(first_tag_ + process().tags->tags_per_block() / 2, first_tag_ + process().tags->tags_per_block() - 1) {
  if (process().memory == nullptr || near.size() < 2) return;
  near_ = std::make_unique<MemoryCarrier>(*process().memory, near, block_ << 32);
}

void Messages::begin_execution() {
  ++executions_;
  if (near_ != nullptr) near_->set_context(context());
}

std::uint64_t Messages::take_context() {
  return (block_ << 32U) | concurrent_execution | (outstanding_executions_++ & ~concurrent_execution);
}

bool Messages::has_tags(std::uint32_t streams) const {
  return std::cmp_less_equal(streams, process().tags->tags_per_block() / 2);
}

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
  if (process().sockets != nullptr) {
    by_sockets_ = std::make_unique<SocketCarrier>(*process().sockets, messages.processes_, program.stream_count());
    carrier_ = by_sockets_.get();
  } else {
    by_mpi_ =
        std::make_unique<MpiCarrier>(process().messages, program, process().settings.max_count, messages.processes_);
    by_mpi_->set_first_tag(messages.first_tag_);
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
