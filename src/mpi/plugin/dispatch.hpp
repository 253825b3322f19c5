#pragma once
/// \file
/// Dispatch of one intercepted call of the program, from the decision who executes it to its end.

#include <limits>
#include <optional>

#include "communicator.hpp"
#include "decision.hpp"
#include "executed_call.hpp"
#include "process.hpp"

namespace ayatori::plugin {

/// Dispatches a call to the MPI or to a schedule, and times it if it is on trial.
class Dispatch {
 public:
  /// `bytes` is the call's size as MPI counts (choice-format.md); with sizes by rank no size is known to all. The
  /// shape's choice is filled in here. `request`: of a call that does not block, and otherwise nullptr. On more ranks
  /// than `exact_up_to` the result may depend on who executes.
  Dispatch(MPI_Comm comm, MpiCall call, Bytes bytes, CallShape shape, MPI_Request* request,
           Rank exact_up_to = std::numeric_limits<Rank>::max());
  Dispatch(const Dispatch&) = delete;
  Dispatch& operator=(const Dispatch&) = delete;
  /// The call is over, whoever executed it.
  ~Dispatch();

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
  bool take_from_table(MpiCall call, Bytes bytes, const CallShape& shape);
  void take_nonblocking(MpiCall call, Bytes bytes, const CallShape& shape);

  Communicator* on_ = nullptr;
  Decision* decision_ = nullptr;  ///< on trial
  Decision* settled_ = nullptr;   ///< that says who executes; nullptr: a table does, or nothing
  CompiledCall* call_ = nullptr;
  MPI_Request* request_;
  std::unique_ptr<CompiledCall> lent_;  ///< to a call that does not block
  double begin_ = 0;
};

}  // namespace ayatori::plugin
