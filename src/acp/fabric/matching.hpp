#pragma once
/// \file
/// Which receive gets which message. Both queues are searched from the oldest on, so that messages of one sender match
/// in the order in which they were sent (FI_ORDER_SAS), and receives in the order in which they were posted.

#include <list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "frame.hpp"
#include "pieces.hpp"

namespace ayatori::fabric {

/// A message that has arrived.
struct Arrival {
  Address from{};
  Frame frame{};                          ///< its payload lies in `memory`, once it is kept
  std::unique_ptr<std::byte[]> memory{};  // NOLINT(modernize-avoid-c-arrays)

  [[nodiscard]] std::uint64_t size() const { return frame.is_long() ? frame.size : frame.payload.size(); }
};

/// A buffer for many messages, one behind the other (FI_MULTI_RECV).
struct Shared {
  std::size_t least = 0;      ///< with less room than this it takes no more messages
  std::size_t under_way = 0;  ///< messages whose bytes are not there yet
  bool used_up = false;
};

/// What a program receives into.
struct Receive {
  std::optional<Address> from{};  ///< nothing: from anybody
  std::uint64_t tag = 0;
  std::uint64_t ignore = 0;  ///< bits of the tag that may differ
  std::span<std::byte> buffer{};
  void* context = nullptr;
  bool tagged = false;
  bool reports = true;               ///< by a completion, also if nothing failed
  std::shared_ptr<Pieces> pieces{};  ///< of which `buffer` is the whole
  std::shared_ptr<Shared> shared{};  ///< with the other messages of `buffer`

  [[nodiscard]] bool takes(const Arrival& arrival) const {
    return ((tag ^ arrival.frame.tag) & ~ignore) == 0 && (!from || *from == arrival.from);
  }
};

/// First in, first out, with removal from anywhere. Keeps the memory of what was removed for what comes next.
template <typename Value>
class RecycledList {
 public:
  using Place = std::list<Value>::iterator;

  void push(Value value) {
    if (spare_.empty()) {
      used_.push_back(std::move(value));
      return;
    }
    spare_.front() = std::move(value);
    used_.splice(used_.end(), spare_, spare_.begin());
  }
  [[nodiscard]] Value take(Place place) {
    Value value = std::move(*place);
    if (spare_.size() < max_spare) {
      spare_.splice(spare_.end(), used_, place);
    } else {
      used_.erase(place);
    }
    return value;
  }
  template <typename Accepts>
  [[nodiscard]] std::optional<Value> take_first(Accepts accepts) {
    const Place place = find(accepts);
    return place == used_.end() ? std::nullopt : std::optional<Value>(take(place));
  }
  template <typename Accepts>
  [[nodiscard]] Place find(Accepts accepts) {
    Place place = used_.begin();
    while (place != used_.end() && !accepts(*place)) ++place;
    return place;
  }
  [[nodiscard]] std::list<Value>& all() { return used_; }

 private:
  static constexpr std::size_t max_spare = 256;

  std::list<Value> used_;
  std::list<Value> spare_;
};

/// The receives that wait for messages and the messages that wait for receives, of one endpoint and one kind: with
/// tags, or without. Not thread-safe.
class Matching {
 public:
  /// The receive that waits for this message, which is removed; of a shared buffer, the part for this message.
  [[nodiscard]] std::optional<Receive> take_receive(const Arrival& arrival);
  void keep(Arrival arrival) { arrivals_.push(std::move(arrival)); }

  /// The oldest message for this receive, which is removed.
  [[nodiscard]] std::optional<Arrival> take_arrival(const Receive& receive);
  void post(Receive receive) { receives_.push(std::move(receive)); }

  /// The oldest message for this receive, or nullptr. It stays.
  [[nodiscard]] const Arrival* peek(const Receive& receive);

  /// Sets a message aside for the receive that will name this context (FI_CLAIM).
  void set_aside(Arrival arrival, void* context) { claimed_.push_back({std::move(arrival), context}); }
  [[nodiscard]] std::optional<Arrival> take_claimed(void* context);

  /// A receive that waits with this context, which is removed; of a shared buffer, what is left of it.
  [[nodiscard]] std::optional<Receive> cancel(void* context);
  /// The receives that wait for nobody but this rank, which are removed.
  [[nodiscard]] std::vector<Receive> cancel_from(Rank rank);

  /// Ranks that receives wait for.
  void add_awaited(std::vector<Rank>& ranks);

 private:
  struct Claimed {
    Arrival arrival;
    void* context = nullptr;
  };

  RecycledList<Receive> receives_;
  RecycledList<Arrival> arrivals_;
  std::list<Claimed> claimed_;
};

}  // namespace ayatori::fabric
