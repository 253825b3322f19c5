// Functions that begin several or end requests, as they are while AYATORI_PROGRESS is on. A request that is about to be
// waited for is not under way any more, as far as the thread is concerned: the MPI itself moves it.
#include <algorithm>
#include <span>
#include <vector>

#include "background.hpp"
#include "calls.hpp"

namespace ayatori::plugin {

namespace {

/// What a call that ends some of several requests is about to overwrite.
std::span<const MPI_Request> copy_of(int count, const MPI_Request requests[]) {
  thread_local std::vector<MPI_Request> copy;
  copy.assign(requests, requests + std::max(0, count));
  return copy;
}

void note_all_ended(int count, const MPI_Request requests[]) {
  for (int i = 0; i < count; ++i) note_ended(requests[i]);
}

void note_some_ended(std::span<const MPI_Request> requests, int over, const int indices[]) {
  for (int i = 0; over != MPI_UNDEFINED && i < over; ++i) note_ended(requests[static_cast<std::size_t>(indices[i])]);
}

int Startall(int count, MPI_Request requests[]) {
  const int code = PMPI_Startall(count, requests);
  for (int i = 0; code == MPI_SUCCESS && i < count; ++i) note_begun(&requests[i]);
  return code;
}

int Wait(MPI_Request* request, MPI_Status* status) {
  if (request != nullptr) note_ended(*request);
  const InsideMpi inside;
  return PMPI_Wait(request, status);
}

int Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  const auto before = copy_of(count, requests);
  const InsideMpi inside;
  const int code = PMPI_Waitany(count, requests, index, status);
  if (code == MPI_SUCCESS && *index != MPI_UNDEFINED) note_ended(before[static_cast<std::size_t>(*index)]);
  return code;
}

int Waitsome(int count, MPI_Request requests[], int* over, int indices[], MPI_Status statuses[]) {
  const auto before = copy_of(count, requests);
  const InsideMpi inside;
  const int code = PMPI_Waitsome(count, requests, over, indices, statuses);
  if (code == MPI_SUCCESS) note_some_ended(before, *over, indices);
  return code;
}

int Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  note_all_ended(count, requests);
  const InsideMpi inside;
  return PMPI_Waitall(count, requests, statuses);
}

int Test(MPI_Request* request, int* over, MPI_Status* status) {
  const MPI_Request before = request == nullptr ? MPI_REQUEST_NULL : *request;
  const int code = PMPI_Test(request, over, status);
  if (code == MPI_SUCCESS && *over != 0) note_ended(before);
  return code;
}

int Testany(int count, MPI_Request requests[], int* index, int* over, MPI_Status* status) {
  const auto before = copy_of(count, requests);
  const int code = PMPI_Testany(count, requests, index, over, status);
  if (code == MPI_SUCCESS && *over != 0 && *index != MPI_UNDEFINED) {
    note_ended(before[static_cast<std::size_t>(*index)]);
  }
  return code;
}

int Testsome(int count, MPI_Request requests[], int* over, int indices[], MPI_Status statuses[]) {
  const auto before = copy_of(count, requests);
  const int code = PMPI_Testsome(count, requests, over, indices, statuses);
  if (code == MPI_SUCCESS) note_some_ended(before, *over, indices);
  return code;
}

int Testall(int count, MPI_Request requests[], int* over, MPI_Status statuses[]) {
  const auto before = copy_of(count, requests);
  const int code = PMPI_Testall(count, requests, over, statuses);
  if (code == MPI_SUCCESS && *over != 0) note_all_ended(count, before.data());
  return code;
}

int Request_free(MPI_Request* request) {
  if (request != nullptr) note_ended(*request);
  return PMPI_Request_free(request);
}

}  // namespace

void see_ends_of_requests(ayatori_mpi_calls& calls) {
  calls.Startall = &Startall;
  calls.Wait = &Wait;
  calls.Waitany = &Waitany;
  calls.Waitsome = &Waitsome;
  calls.Waitall = &Waitall;
  calls.Test = &Test;
  calls.Testany = &Testany;
  calls.Testsome = &Testsome;
  calls.Testall = &Testall;
  calls.Request_free = &Request_free;
}

}  // namespace ayatori::plugin
