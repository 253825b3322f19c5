#include "request.hpp"

#include <atomic>
#include "communicator.hpp"
#include "own_progress.hpp"
#include "process.hpp"

namespace ayatori::plugin {

/// Written before the request is complete, and read by the MPI afterwards.
struct Request::State {
  std::shared_ptr<Communicator> on;
  std::atomic<int> code{MPI_SUCCESS};
  std::atomic<bool> is_reported{false};  ///< the error handler was called

  static int query(void* extra, MPI_Status* status) {
    PMPI_Status_set_elements(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    auto* const self = static_cast<State*>(extra);
    const int code = self->code;
    if (code != MPI_SUCCESS && !self->is_reported.exchange(true)) self->on->give_up(code);
    return code;
  }

  static int free(void* extra) {
    delete static_cast<State*>(extra);
    return MPI_SUCCESS;
  }

  /// As the MPIs refuse it for their own collectives.
  static int cancel(void*, int) { return MPI_ERR_REQUEST; }

  [[nodiscard]] int make(MPI_Request* request);

#ifdef MPICH_VERSION
  std::atomic<bool> is_over{false};

  static int poll(void*, MPI_Status*) {
    process().outstanding.advance();
    return MPI_SUCCESS;
  }

  /// MPICH calls it for one request at a time.
  static int wait(int, void** states, double, MPI_Status*) {
    const auto* const self = static_cast<const State*>(states[0]);
    while (!self->is_over.load(std::memory_order_acquire)) {
      let_mpi_progress();
      process().outstanding.advance();
    }
    return MPI_SUCCESS;
  }
#endif
};

#ifdef MPICH_VERSION

/// MPICH 4.0 to 4.2 abort in MPI_Waitall where other requests are null and one of ours is not over, unless it has a
/// function of its own that waits.
int Request::State::make(MPI_Request* request) {
  static auto* const start = own_function<decltype(MPIX_Grequest_start)>("PMPIX_Grequest_start");
  if (start == nullptr) return PMPI_Grequest_start(&State::query, &State::free, &State::cancel, this, request);
  return start(&State::query, &State::free, &State::cancel, &State::poll, &State::wait, this, request);
}

#else

int Request::State::make(MPI_Request* request) {
  return PMPI_Grequest_start(&State::query, &State::free, &State::cancel, this, request);
}

#endif

int Request::start(std::shared_ptr<Communicator> on, MPI_Request* request) {
  auto state = std::make_unique<State>();
  state->on = std::move(on);
  const int code = state->make(&request_);
  if (code != MPI_SUCCESS) return code;
  state_ = state.release();
  *request = request_;
  return MPI_SUCCESS;
}

void Request::complete(int code) {
  state_->code = code;
#ifdef MPICH_VERSION
  // The MPI may free the state as soon as the request is complete, and the waiting thread sees that.
  state_->is_over.store(true, std::memory_order_release);
#endif
  PMPI_Grequest_complete(request_);
}

}  // namespace ayatori::plugin
