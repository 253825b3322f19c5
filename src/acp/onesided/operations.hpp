#pragma once
/// \file
/// The operations of this process, in a ring by handle. They leave the ring in order when they are completed.

#include <optional>
#include <vector>

#include "ayatori/onesided/global_memory.hpp"
#include "core.hpp"
#include "failures.hpp"

namespace ayatori::onesided {

struct Operation {
  enum class State : std::uint8_t {
    waiting,    ///< for the operations before it, or for room
    under_way,  ///< the endpoint will report its end
    delegated,  ///< a peer carries it out and will call `copied`
    ended,
  };

  State state = State::waiting;
  Fault fault = Fault::none;
  Rank culprit = 0;
  Handle after = 0;
  Location dst;
  Location src;
  Bytes size = 0;
  Call atomic;  ///< the request of an atomic; of a copy its kind is `copy`
  Transfer transfer{};
  bool deferred = false;  ///< there was no room: it must be tried again …
  Time not_before{};      ///< … but not before this …
  bool timed = false;     ///< … but then even if the endpoint has not called back
};

class Operations {
 public:
  Operations(Core& core, std::uint32_t capacity) : core_(core), ring_(capacity), failures_(capacity) {}

  [[nodiscard]] bool full() const { return next_ - first_ == ring_.size(); }
  Handle add(const Operation& operation, Handle after);
  /// Carries out an operation and adds it as completed; nothing if operations before it are not, or if the peer has to
  /// be asked.
  [[nodiscard]] std::optional<Handle> copy_at_once(const Location& dst, const Location& src, Bytes size);
  [[nodiscard]] std::optional<Handle> apply_at_once(const Call& atomic, const Location& dst, const Location& src);
  void progress();

  [[nodiscard]] Handle latest() const { return next_ - 1; }
  [[nodiscard]] bool is_atomic(Handle handle) const { return at(handle).atomic.kind != CallKind::copy; }
  [[nodiscard]] bool completed(Handle handle) const { return first_ > std::min(handle, latest()); }
  [[nodiscard]] std::optional<Error> take_failure(Handle handle);

  void transferred(Handle handle) { end(handle, Fault::none); }
  void refused(Handle handle);
  void undone(Handle handle) { defer(handle, core_.now); }
  void failed(Handle handle);
  void answered(Handle handle, const Answer& answer);
  void copied(Rank from, Handle handle, Status status);
  void lost(Rank peer);

  [[nodiscard]] Time next_deadline() const;

  /// Calls `visit(rank)` for each rank that has been asked for a copy and has not said that it is done.
  template <typename Visit>
  void visit_delegates(Visit visit) const {
    if (delegated_ == 0) return;
    for (Handle handle = first_; handle < unstarted_; ++handle) {
      if (at(handle).state == Operation::State::delegated) visit(at(handle).dst.rank);
    }
  }

 private:
  /// Adds an operation that is completed, as are all before it.
  Handle add_completed() {
    first_ = ++unstarted_;
    return next_++;
  }
  [[nodiscard]] Operation& at(Handle handle) { return ring_[handle & (ring_.size() - 1)]; }
  [[nodiscard]] const Operation& at(Handle handle) const { return ring_[handle & (ring_.size() - 1)]; }
  [[nodiscard]] bool in_hand(Handle handle) const { return handle >= first_ && handle < unstarted_; }

  void retry();
  void begin(Handle handle);
  void begin_copy(Handle handle);
  void begin_atomic(Handle handle);
  void begin_transfer(Handle handle);
  void ask(Handle handle, Rank whom, const Call& call);
  void defer(Handle handle, Time not_before);
  void end(Handle handle, Fault fault, Rank culprit = 0);
  void leave_in_order();

  Core& core_;
  std::vector<Operation> ring_;
  Handle first_ = 1;      // not completed
  Handle unstarted_ = 1;  // the first that has not started
  Handle next_ = 1;       // to be handed out
  std::uint32_t deferred_count_ = 0;
  std::uint32_t delegated_ = 0;
  Failures failures_;
};

}  // namespace ayatori::onesided
