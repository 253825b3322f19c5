#include "spaced_shift.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
namespace ayatori {

namespace {

/// Receivers that must not be too close on the circle: any `capacity` + 1 of them stand within no less than `distance`.
struct Spacing {
  std::uint32_t distance = 0;
  std::uint32_t capacity = 1;
  std::uint32_t members = 0;
};

/// The spacings of all links. In a fat tree the links at one height that lead to the same part of the receivers differ
/// only in the receivers below their own routers, and there are as many such links as routers: they get one spacing
/// together, for the union of their receivers.
class Spacings {
 public:
  explicit Spacings(const PairLinks& links) : links_(links), of_receiver_(links.endpoint_count()) {
    collect_uses();
    std::vector<PairLinks::Link> order(links.link_count());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](PairLinks::Link a, PairLinks::Link b) {
      const auto rank = [](const LinkUse& use) { return std::pair(use.height, -std::ptrdiff_t(use.receivers.size())); };
      return rank(uses_[a]) < rank(uses_[b]);
    });
    for (const PairLinks::Link link : order) add(link);
    uses_ = {};
  }

  [[nodiscard]] const std::vector<Spacing>& all() const { return spacings_; }
  [[nodiscard]] const std::vector<std::uint32_t>& of_receiver(std::uint32_t receiver) const {
    return of_receiver_[receiver];
  }

 private:
  struct LinkUse {
    std::vector<std::uint32_t> receivers;
    std::uint32_t first_sender = no_id;
    std::uint32_t last_sender = 0;
    std::int32_t height = 0;  ///< its place on the way up from 0 on; on the way down from -1 on, at the end
  };

  void collect_uses() {
    uses_.resize(links_.link_count());
    for (std::uint32_t receiver = 0; receiver < links_.endpoint_count(); ++receiver) {
      for (std::uint32_t first = 0; first < links_.endpoint_count();) {
        std::uint32_t end = first;
        while (end < links_.endpoint_count() && links_.row(end) == links_.row(first)) ++end;
        enter(receiver, links_.of_row(links_.row(first), receiver), first, end - 1);
        first = end;
      }
    }
  }

  void enter(std::uint32_t receiver, std::span<const PairLinks::Link> route, std::uint32_t first, std::uint32_t last) {
    for (std::size_t i = 0; i < route.size(); ++i) {
      LinkUse& use = uses_[route[i]];
      use.first_sender = std::min(use.first_sender, first);
      use.last_sender = std::max(use.last_sender, last);
      use.height = static_cast<std::int32_t>(i < route.size() / 2 ? i : i - route.size());
      if (use.receivers.empty() || use.receivers.back() != receiver) use.receivers.push_back(receiver);
    }
  }

  /// To the spacing that has most of its receivers at this height, or to a new one.
  void add(PairLinks::Link link) {
    const LinkUse& use = uses_[link];
    const std::uint32_t capacity = links_.capacity(link);
    if (use.receivers.size() <= capacity) return;
    auto& spacing_at = spacing_at_height_[{use.height, capacity}];
    if (spacing_at.empty()) spacing_at.assign(links_.endpoint_count(), no_id);
    std::map<std::uint32_t, std::size_t> votes;
    for (const std::uint32_t receiver : use.receivers) ++votes[spacing_at[receiver]];
    const std::size_t unclaimed = votes.count(no_id) != 0 ? votes[no_id] : 0;
    votes.erase(no_id);
    const bool fits_one = votes.size() == 1 && unclaimed < use.receivers.size() / 2;
    if (votes.empty() || fits_one) {
      const std::uint32_t number = votes.empty() ? make(capacity) : votes.begin()->first;
      for (const std::uint32_t receiver : use.receivers) {
        if (spacing_at[receiver] == no_id) join(receiver, number);
        spacing_at[receiver] = number;
      }
      widen(number, use);
    } else {
      const std::uint32_t number = make(capacity);
      for (const std::uint32_t receiver : use.receivers) join(receiver, number);
      widen(number, use);
    }
  }

  std::uint32_t make(std::uint32_t capacity) {
    spacings_.push_back({0, capacity, 0});
    return static_cast<std::uint32_t>(spacings_.size() - 1);
  }

  void join(std::uint32_t receiver, std::uint32_t number) {
    of_receiver_[receiver].push_back(number);
    ++spacings_[number].members;
  }

  void widen(std::uint32_t number, const LinkUse& use) {
    Spacing& spacing = spacings_[number];
    spacing.distance = std::max(spacing.distance, use.last_sender - use.first_sender + 1);
  }

  const PairLinks& links_;
  std::vector<LinkUse> uses_;                                                                       // by link
  std::map<std::pair<std::int32_t, std::uint32_t>, std::vector<std::uint32_t>> spacing_at_height_;  // by receiver
  std::vector<Spacing> spacings_;
  std::vector<std::vector<std::uint32_t>> of_receiver_;
};

/// Fills a circle slot by slot.
class Circle {
 public:
  Circle(const Spacings& spacings, std::uint32_t receivers, std::size_t slots)
      : spacings_(spacings), slots_(slots), taken_(spacings.all().size()) {
    for (const Spacing& spacing : spacings.all()) left_.push_back(spacing.members);
    waiting_.resize(receivers);
    std::iota(waiting_.begin(), waiting_.end(), 0U);
  }

  /// False if there are too few slots.
  bool fill() {
    for (std::size_t slot = 0; slot < slots_ && !waiting_.empty(); ++slot) {
      const std::size_t chosen = most_urgent(slot);
      receivers_.push_back(chosen == waiting_.size() ? no_id : waiting_[chosen]);
      if (chosen != waiting_.size()) take(chosen, slot);
    }
    receivers_.resize(slots_, no_id);
    return waiting_.empty();
  }

  [[nodiscard]] std::vector<std::uint32_t> take_receivers() { return std::move(receivers_); }

 private:
  [[nodiscard]] std::size_t most_urgent(std::size_t slot) const {
    std::size_t best = waiting_.size();
    double most = -1;
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const double urgent = urgency(waiting_[i]);
      if (urgent <= most || !fits(waiting_[i], slot)) continue;
      best = i;
      most = urgent;
    }
    return best;
  }

  /// The slots that the receivers of its busiest link still need.
  [[nodiscard]] double urgency(std::uint32_t receiver) const {
    double most = 0;
    for (const std::uint32_t number : spacings_.of_receiver(receiver)) {
      const Spacing& spacing = spacings_.all()[number];
      most = std::max(most, static_cast<double>(left_[number]) * spacing.distance / spacing.capacity);
    }
    return most;
  }

  [[nodiscard]] bool fits(std::uint32_t receiver, std::size_t slot) const {
    const auto& mine = spacings_.of_receiver(receiver);
    return std::all_of(mine.begin(), mine.end(), [&](std::uint32_t number) { return has_room(number, slot); });
  }

  /// Looks back, and over the end of the circle to its beginning.
  [[nodiscard]] bool has_room(std::uint32_t number, std::size_t slot) const {
    const Spacing& spacing = spacings_.all()[number];
    const auto& taken = taken_[number];
    const std::size_t distance = std::min<std::size_t>(spacing.distance, slots_);
    if (taken.size() >= spacing.capacity && slot - taken[taken.size() - spacing.capacity] < distance) return false;
    // With this one, the last i + 1 and the first capacity − i stand within one distance.
    for (std::size_t i = 0; i < spacing.capacity; ++i) {
      const std::size_t first = spacing.capacity - i - 1;
      if (first >= taken.size() || i > taken.size()) continue;
      const std::size_t last = i == 0 ? slot : taken[taken.size() - i];
      if (taken.size() + 1 > spacing.capacity && taken[first] + slots_ - last < distance) return false;
    }
    return true;
  }

  void take(std::size_t chosen, std::size_t slot) {
    for (const std::uint32_t number : spacings_.of_receiver(waiting_[chosen])) {
      taken_[number].push_back(slot);
      --left_[number];
    }
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(chosen));
  }

  const Spacings& spacings_;
  std::size_t slots_;
  std::vector<std::vector<std::size_t>> taken_;  // by spacing: slots
  std::vector<std::uint32_t> left_;              // by spacing: receivers that have no slot yet
  std::vector<std::uint32_t> waiting_;           // receivers
  std::vector<std::uint32_t> receivers_;         // by slot
};

std::size_t least_slots(const Spacings& spacings, std::size_t receivers) {
  std::size_t least = receivers;
  for (const Spacing& spacing : spacings.all()) {
    const std::size_t needed = std::size_t{spacing.members} * spacing.distance;
    least = std::max(least, (needed + spacing.capacity - 1) / spacing.capacity);
  }
  return least;
}

/// The slots that the busiest link needs by itself: those of the circle, or more. A link that a pair plan gives to
/// senders of all leaves needs so many that no circle is worth a try.
std::size_t slots_of_busiest_link(const PairLinks& links) {
  struct Use {
    std::uint32_t first_sender = no_id;
    std::uint32_t last_sender = 0;
    std::uint32_t receivers = 0;
    std::uint32_t last_receiver = no_id;
  };
  std::vector<Use> uses(links.link_count());
  for (std::uint32_t receiver = 0; receiver < links.endpoint_count(); ++receiver) {
    for (std::uint32_t sender = 0; sender < links.endpoint_count(); ++sender) {
      for (const PairLinks::Link link : links.of_row(links.row(sender), receiver)) {
        Use& use = uses[link];
        use.first_sender = std::min(use.first_sender, sender);
        use.last_sender = std::max(use.last_sender, sender);
        use.receivers += use.last_receiver == receiver ? 0 : 1;
        use.last_receiver = receiver;
      }
    }
  }
  std::size_t most = 0;
  for (PairLinks::Link link = 0; link < uses.size(); ++link) {
    const std::size_t needed =
        std::size_t{uses[link].receivers} * (uses[link].last_sender - uses[link].first_sender + 1);
    if (uses[link].receivers > links.capacity(link)) most = std::max(most, needed / links.capacity(link));
  }
  return most;
}

}  // namespace

std::vector<std::uint32_t> spaced_receivers(const PairLinks& links, std::size_t max_slots) {
  if (slots_of_busiest_link(links) > max_slots) return {};
  const Spacings spacings(links);
  const std::size_t least = least_slots(spacings, links.endpoint_count());
  // A quarter more each time: the first circle that fits is not much larger than the smallest that does.
  if (least > max_slots) return {};
  const std::size_t most = std::min(least, max_slots - least);
  for (std::size_t more = 0; more <= most; more = std::max(more + more / 4 + 1, least / 256)) {
    Circle circle(spacings, links.endpoint_count(), least + more);
    if (circle.fill()) return circle.take_receivers();
  }
  return {};
}

}  // namespace ayatori
