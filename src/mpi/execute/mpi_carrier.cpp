#include "mpi_carrier.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace ayatori {

namespace {

/// For larger messages MPI's own pipeline of copies and transfers is as fast or faster.
constexpr Bytes max_together = 8 << 10;

Result<> checked(int code, std::string_view call) {
  if (code == MPI_SUCCESS) return {};
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return fail("{}: {}", call, std::string_view(text, static_cast<std::size_t>(length)));
}

}  // namespace

MpiCarrier::MpiCarrier(MPI_Comm communicator, const RankProgram& program, Bytes max_count,
                       std::shared_ptr<const std::vector<Rank>> ranks)
    : communicator_(communicator),
      ranks_(std::move(ranks)),
      max_count_(max_count),
      requests_(program.max_open_messages(), MPI_REQUEST_NULL),
      together_(program.max_open_messages()) {
  const std::size_t blocks = program.max_pieces() + program.max_message_bytes() / max_count_;
  lengths_.reserve(blocks);
  addresses_.reserve(blocks);
}

MpiCarrier::~MpiCarrier() {
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] != MPI_REQUEST_NULL) static_cast<void>(together_[i].memory.release());
  }
}

Result<> MpiCarrier::post_send(RequestId request, const CarriedMessage& message) {
  std::byte* const together = memory_for(request, message);
  if (together != nullptr) {
    std::byte* end = together;
    for (const auto& piece : message.pieces) end = std::ranges::copy(piece, end).out;
  }
  return post(message, together, [&](void* data, int count, MPI_Datatype type) {
    return MPI_Isend(data, count, type, rank_of(message), tag_of(message), communicator_, &requests_[request]);
  });
}

Result<> MpiCarrier::post_receive(RequestId request, const CarriedMessage& message) {
  std::byte* const together = memory_for(request, message);
  if (together != nullptr) together_[request].to_receive = message.pieces;
  return post(message, together, [&](void* data, int count, MPI_Datatype type) {
    return MPI_Irecv(data, count, type, rank_of(message), tag_of(message), communicator_, &requests_[request]);
  });
}

std::byte* MpiCarrier::memory_for(RequestId request, const CarriedMessage& message) {
  if (message.pieces.size() < 2 || message.bytes > std::min(max_together, max_count_)) return nullptr;
  together_[request].memory = std::make_unique_for_overwrite<std::byte[]>(message.bytes);
  return together_[request].memory.get();
}

template <typename Post>
Result<> MpiCarrier::post(const CarriedMessage& message, std::byte* together, Post post_message) {
  if (message.pieces.empty()) return checked(post_message(&lengths_, 0, MPI_BYTE), "a message without bytes");
  if (together != nullptr || (message.pieces.size() == 1 && message.bytes <= max_count_)) {
    std::byte* const data = together != nullptr ? together : message.pieces[0].data();
    return checked(post_message(data, static_cast<int>(message.bytes), MPI_BYTE), "a message");
  }
  auto type = type_of(message);
  if (!type) return Failure(type.error());
  const auto posted = checked(post_message(MPI_BOTTOM, 1, *type), "a message of several pieces");
  // MPI keeps the type until the message is complete.
  MPI_Type_free(&*type);
  return posted;
}

RequestId MpiCarrier::completed_now(int request) {
  const auto id = static_cast<RequestId>(request);
  const Together message = std::exchange(together_[id], {});
  const std::byte* begin = message.memory.get();
  for (const auto& piece : message.to_receive) {
    std::copy_n(begin, piece.size(), piece.data());
    begin += piece.size();
  }
  return id;
}

Result<MPI_Datatype> MpiCarrier::type_of(const CarriedMessage& message) {
  lengths_.clear();
  addresses_.clear();
  for (const auto& piece : message.pieces) {
    for (Bytes begin = 0; begin < piece.size(); begin += max_count_) {
      MPI_Aint address = 0;
      MPI_Get_address(piece.data() + begin, &address);
      addresses_.push_back(address);
      lengths_.push_back(static_cast<int>(std::min(max_count_, piece.size() - begin)));
    }
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const int blocks = static_cast<int>(lengths_.size());
  const int code = MPI_Type_create_hindexed(blocks, lengths_.data(), addresses_.data(), MPI_BYTE, &type);
  if (auto made = checked(code, "MPI_Type_create_hindexed"); !made) return Failure(made.error());
  if (auto committed = checked(MPI_Type_commit(&type), "MPI_Type_commit"); !committed) {
    return Failure(committed.error());
  }
  return type;
}

Result<std::size_t> MpiCarrier::test_some(std::span<RequestId> completed) {
  std::size_t count = 0;
  while (count < completed.size()) {
    int which = MPI_UNDEFINED;
    int is_complete = 0;
    const int code =
        MPI_Testany(static_cast<int>(requests_.size()), requests_.data(), &which, &is_complete, MPI_STATUS_IGNORE);
    if (auto tested = checked(code, "MPI_Testany"); !tested) return Failure(tested.error());
    if (is_complete == 0 || which == MPI_UNDEFINED) break;
    completed[count++] = completed_now(which);
  }
  return count;
}

Result<std::size_t> MpiCarrier::wait_some(std::span<RequestId> completed) {
  int which = MPI_UNDEFINED;
  const int code = MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &which, MPI_STATUS_IGNORE);
  if (auto waited = checked(code, "MPI_Waitany"); !waited) return Failure(waited.error());
  if (which == MPI_UNDEFINED) return fail("no message is under way to wait for");
  completed[0] = completed_now(which);
  return 1;
}

}  // namespace ayatori
