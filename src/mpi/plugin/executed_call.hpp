#pragma once
/// \file
/// The program's data of a call, and a call that does not block from its beginning to its end.
///
/// The data of a call is a class that is made when the call begins, with the part as its first argument, and has
///
///     std::span<std::byte* const> regions() const;   what CompiledCall::begin takes
///     std::span<const Bytes> sizes() const;          empty unless by slot
///     Combine combine();                             may be empty
///     void finish();                                 after the execution: what was received is the program's now
///
/// It stays where it was made, and must keep what it needs: by then a program may have freed its datatypes.

#include <mpi.h>

#include <memory>
#include <vector>

#include "ayatori/progress/operation.hpp"
#include "communicator.hpp"
#include "elements.hpp"
#include "request.hpp"

namespace ayatori::plugin {

/// Datatypes that are needed after the call that they were handed to.
class KeptTypes {
 public:
  KeptTypes() = default;
  KeptTypes(const KeptTypes&) = delete;
  KeptTypes& operator=(const KeptTypes&) = delete;
  ~KeptTypes();

  /// The same layout, by a datatype of our own where the program could free it.
  [[nodiscard]] Layout keep(const Layout& layout);

 private:
  std::vector<MPI_Datatype> types_;
};

/// A call that is to be executed, on a communicator that is prepared for it.
struct Part {
  Communicator& on;
  CompiledCall& call;
  KeptTypes* types;  ///< of a call that does not block, and otherwise nullptr

  [[nodiscard]] Layout kept(const Layout& layout) const { return types == nullptr ? layout : types->keep(layout); }
  [[nodiscard]] Elements kept(const Elements& elements) const {
    return {elements.address, elements.count, kept(elements.layout), elements.displacement};
  }
};

/// A call that does not block.
class OutstandingOperation : public Operation {
 public:
  OutstandingOperation(std::shared_ptr<Communicator> on, std::unique_ptr<CompiledCall> call)
      : on_(std::move(on)), call_(std::move(call)) {}

  /// Makes the request and posts the first messages. Returns an MPI error code: there is no request then.
  [[nodiscard]] int begin(MPI_Request* request);
  [[nodiscard]] bool advance() final;

 protected:
  [[nodiscard]] Part part() { return {*on_, *call_, &types_}; }
  [[nodiscard]] virtual Result<> begin_execution(CompiledCall& call) = 0;
  virtual void finish_data() = 0;

 private:
  std::shared_ptr<Communicator> on_;
  std::unique_ptr<CompiledCall> call_;
  KeptTypes types_;
  Request request_;
  int failure_ = MPI_SUCCESS;  ///< when it began
};

template <typename Data>
class OutstandingCall final : public OutstandingOperation {
 public:
  template <typename... Arguments>
  OutstandingCall(std::shared_ptr<Communicator> on, std::unique_ptr<CompiledCall> call, Arguments&&... arguments)
      : OutstandingOperation(std::move(on), std::move(call)), data_(part(), std::forward<Arguments>(arguments)...) {}

 private:
  Result<> begin_execution(CompiledCall& call) override {
    return call.begin(data_.regions(), data_.sizes(), data_.combine());
  }
  void finish_data() override { data_.finish(); }

  Data data_;
};

/// Begins it, and leaves it to process().outstanding. It does not poll the MPI, which the program did not ask to make
/// progress here.
[[nodiscard]] int begin_outstanding(std::unique_ptr<OutstandingOperation> operation, MPI_Request* request);

}  // namespace ayatori::plugin
