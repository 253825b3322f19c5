#include "messages.hpp"

#include "process.hpp"

namespace ayatori::plugin {

Messages::Messages(MPI_Comm own, std::span<const NodeParticipant> near, Rank ranks, std::uint32_t number)
    : own_(own), number_(number), all_near_(near.size() == ranks) {
  if (process().memory == nullptr || near.size() < 2) return;
  near_ = std::make_unique<MemoryCarrier>(*process().memory, near, number_ << 32);
}

void Messages::begin_play() {
  ++plays_;
  if (near_ != nullptr) near_->set_context((number_ << 32) | plays_);
}

CallCarrier::CallCarrier(Messages& messages, const RankProgram& program) {
  if (messages.near_ == nullptr || !messages.all_near_) {
    far_ = std::make_unique<MpiCarrier>(messages.own_, program);
    carrier_ = far_.get();
  } else {
    carrier_ = messages.near_.get();
  }
  if (messages.near_ == nullptr || messages.all_near_) return;
  both_ = std::make_unique<CombinedCarrier>(*messages.near_, *far_);
  carrier_ = both_.get();
}

}  // namespace ayatori::plugin
