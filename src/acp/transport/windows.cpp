#include "windows.hpp"

#include <algorithm>

namespace ayatori::transport {

ReceiveWindow::Verdict ReceiveWindow::judge(Sequence sequence) const {
  if (sequence < cumulative_) return Verdict::duplicate;
  if (sequence - cumulative_ >= max_window) return Verdict::beyond;
  return (early_ >> (sequence - cumulative_) & 1) != 0 ? Verdict::duplicate : Verdict::fresh;
}

void ReceiveWindow::mark(Sequence sequence) {
  early_ |= std::uint64_t{1} << (sequence - cumulative_);
  const int here = std::countr_one(early_);
  cumulative_ += static_cast<Sequence>(here);
  early_ = here == 64 ? 0 : early_ >> here;
}

std::uint64_t SendWindow::mask_below(Sequence end) const {
  const Sequence count = std::min(end, next_) - std::min(acknowledged_, end);
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

std::optional<Sequence> SendWindow::first_lost() const {
  if (lost_ == 0) return std::nullopt;
  return acknowledged_ + static_cast<Sequence>(std::countr_zero(lost_));
}

bool SendWindow::settled(Sequence sequence) const {
  return sequence < acknowledged_ || sequence >= next_ || (arrived_ & bit(sequence)) != 0;
}

bool SendWindow::acknowledge(Sequence cumulative, std::uint64_t selective) {
  if (cumulative < acknowledged_ || cumulative > next_) return false;
  const Sequence steps = cumulative - acknowledged_;
  acknowledged_ = cumulative;
  arrived_ = steps >= 64 ? 0 : arrived_ >> steps;
  lost_ = steps >= 64 ? 0 : lost_ >> steps;
  again_ = steps >= 64 ? 0 : again_ >> steps;
  // The lowest is missing, whatever was said before: else it would never be sent again.
  arrived_ = (arrived_ | selective << 1) & mask_below(next_) & ~std::uint64_t{1};
  lost_ &= ~arrived_;
  return true;
}

void SendWindow::lose_below(Sequence end) { lost_ |= mask_below(end) & ~arrived_; }

std::uint64_t SendWindow::overtaken(std::uint32_t later) const {
  std::uint64_t rest = arrived_;
  if (rest == 0 || static_cast<std::uint32_t>(std::popcount(rest)) < later) return 0;
  for (std::uint32_t i = 1; i < later; ++i) rest &= ~std::bit_floor(rest);
  return (std::bit_floor(rest) - 1) & ~(arrived_ | lost_ | again_);
}

}  // namespace ayatori::transport
