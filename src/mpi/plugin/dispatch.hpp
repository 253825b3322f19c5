#pragma once
/// \file
/// Dispatch of one intercepted call of the program, from the decision who executes it to its end.

#include <optional>

#include "communicator.hpp"
#include "decision.hpp"
#include "executed_call.hpp"
#include "process.hpp"

namespace ayatori::plugin {

/// Dispatches a call to the MPI or to a schedule, and times it if it is one of the first.
class Dispatch {
 public:
  /// `bytes` is the call's size as MPI counts (choice-format.md); with sizes by rank no size is known to all. The
  /// shape's choice is filled in here. `request`: of a call that does not block, and otherwise nullptr. `exact`: the
  /// result does not depend on who executes.
  Dispatch(MPI_Comm comm, MpiCall call, Bytes bytes, const CallShape& shape, MPI_Request* request, bool exact = true);
  Dispatch(const Dispatch&) = delete;
  Dispatch& operator=(const Dispatch&) = delete;
  /// The call is over, whoever executed it.
  ~Dispatch() {
    if (veto_ != nullptr) note_time();
  }

  /// False: the MPI executes it.
  explicit operator bool() const { return call_ != nullptr; }
  [[nodiscard]] const Communicator& on() const { return *on_; }

  /// Executes it with the data of the call: Data(part, arguments …). Returns what the MPI function returns, after the
  /// execution if it blocks.
  template <typename Data, typename... Arguments>
  [[nodiscard]] int execute(Arguments&&... arguments) {
    if (request_ == nullptr) {
      Data data(Part{*on_, *call_, nullptr}, std::forward<Arguments>(arguments)...);
      const auto executed = call_->execute(data.regions(), data.sizes(), data.combine());
      data.finish();
      return executed ? MPI_SUCCESS : on_->give_up(executed.error());
    }
    return begin_outstanding(std::make_unique<OutstandingCall<Data>>(on_->shared_from_this(), std::move(lent_),
                                                                     std::forward<Arguments>(arguments)...),
                             request_);
  }

 private:
  bool compare(MpiCall call, Bytes bytes);
  void note_time();
  void explain_choice(const Decision& decision, MpiCall call) const;

  Communicator* on_ = nullptr;
  CompiledCall* call_ = nullptr;
  MPI_Request* request_;
  std::unique_ptr<CompiledCall> lent_;  ///< to a call that does not block
  CallVeto* veto_ = nullptr;            ///< of a call that is compared
  double begin_ = 0;
  long preemptions_ = 0;
};

}  // namespace ayatori::plugin
