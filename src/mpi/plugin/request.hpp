#pragma once
/// \file
/// Requests of the MPI that are complete when we say so: generalized requests (MPI 3.1, section 12.2). They are all
/// that programs get to see of executions that do not block, so every function of the MPI takes them, from any
/// language.

#include <mpi.h>

#include <memory>

namespace ayatori::plugin {

class Communicator;

class Request {
 public:
  /// Makes the request. Errors of its operation go to the error handler of `on`. Returns an MPI error code.
  [[nodiscard]] int start(std::shared_ptr<Communicator> on, MPI_Request* request);

  /// Once, after start(), and the last that is done with this object. `code`: MPI_SUCCESS, or what the call that
  /// completes the request returns.
  void complete(int code);

 private:
  struct State;
  MPI_Request request_ = MPI_REQUEST_NULL;
  State* state_ = nullptr;  ///< the MPI's: freed with the request
};

}  // namespace ayatori::plugin
