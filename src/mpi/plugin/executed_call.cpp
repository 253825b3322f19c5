#include "executed_call.hpp"

#include "process.hpp"

namespace ayatori::plugin {

KeptTypes::~KeptTypes() {
  for (MPI_Datatype& type : types_) PMPI_Type_free(&type);
}

/// Not by MPI_Type_dup, which would call the program's functions that copy attributes.
Layout KeptTypes::keep(const Layout& layout) {
  if (layout.is_named || layout.packed) return layout;
  Layout kept = layout;
  PMPI_Type_contiguous(1, layout.type, &kept.type);
  PMPI_Type_commit(&kept.type);
  types_.push_back(kept.type);
  return kept;
}

int OutstandingOperation::begin(MPI_Request* request) {
  const int code = request_.start(on_, request);
  if (code != MPI_SUCCESS) return code;
  const auto begun = begin_execution(*call_);
  if (!begun) failure_ = Communicator::code_of(begun.error());
  return MPI_SUCCESS;
}

bool OutstandingOperation::advance() {
  int code = failure_;
  if (code == MPI_SUCCESS) {
    const auto done = call_->advance();
    if (done && !*done) return false;
    if (!done) code = Communicator::code_of(done.error());
  }
  finish_data();
  if (code == MPI_SUCCESS) on_->give_back(std::move(call_));
  request_.complete(code);
  return true;
}

int begin_outstanding(std::unique_ptr<OutstandingOperation> operation, MPI_Request* request) {
  const int code = operation->begin(request);
  if (code == MPI_SUCCESS) process().outstanding.add(std::move(operation));
  return code;
}

}  // namespace ayatori::plugin
