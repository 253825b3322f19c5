#pragma once
/// \file
/// Plays a Schedule with MPI calls: Isend and Irecv for a step's messages, then its local operations, then the next
/// step; streams advance independently of each other. Works with any MPI, and with SimGrid's SMPI.
///
/// One Player a rank; call play() on all ranks of the communicator. Message tags are stream numbers.

#include <mpi.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "ayatori/schedule/schedule.hpp"

namespace ayatori {

/// Combines `count` bytes at `from` into those at `to`.
using Combine = void (*)(std::byte* to, const std::byte* from, std::size_t count);

class Player {
 public:
  /// `memory` holds this rank's slots one behind the other (memory_needed() bytes) and must outlive the player.
  Player(const Schedule& schedule, MPI_Comm communicator, std::span<std::byte> memory, Combine combine)
      : schedule_(schedule), communicator_(communicator), memory_(memory), combine_(combine) {
    int rank = 0;
    MPI_Comm_rank(communicator, &rank);
    rank_ = static_cast<Rank>(rank);
    offsets_.push_back(0);
    for (Slot slot = 0; slot < schedule.slot_count(); ++slot) {
      offsets_.push_back(offsets_.back() + schedule.slot_bytes(rank_, slot));
    }
    streams_.resize(schedule.stream_count());
  }

  /// With one buffer for all messages instead of slots: for timing where nobody looks at the data (and the memory of
  /// all ranks is one machine's). `buffer` has longest_message() bytes.
  static Player without_data(const Schedule& schedule, MPI_Comm communicator, std::span<std::byte> buffer) {
    Player player(schedule, communicator, buffer, nullptr);
    return player;
  }

  [[nodiscard]] static std::size_t memory_needed(const Schedule& schedule, Rank rank) {
    std::size_t sum = 0;
    for (Slot slot = 0; slot < schedule.slot_count(); ++slot) sum += schedule.slot_bytes(rank, slot);
    return sum;
  }

  [[nodiscard]] std::byte* slot(Slot number) { return memory_.data() + offsets_[number]; }

  void play() {
    for (std::uint32_t stream = 0; stream < streams_.size(); ++stream) begin(stream);
    while (!requests_.empty()) {
      int which = 0;
      MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &which, MPI_STATUS_IGNORE);
      const std::uint32_t stream = forget_request(static_cast<std::size_t>(which));
      if (--streams_[stream].under_way > 0) continue;
      end_step(stream);
      advance(stream);
    }
  }

 private:
  struct Stream {
    std::size_t step = 0;
    std::size_t under_way = 0;  // messages
    StepActions actions;
    std::vector<MPI_Datatype> types;
  };

  void begin(std::uint32_t stream) {
    streams_[stream].step = 0;
    start_steps(stream);
  }

  void advance(std::uint32_t stream) {
    ++streams_[stream].step;
    start_steps(stream);
  }

  /// Starts the stream's next step that has messages.
  void start_steps(std::uint32_t number) {
    Stream& stream = streams_[number];
    for (; stream.step < schedule_.step_count(number); ++stream.step) {
      schedule_.actions(rank_, number, stream.step, stream.actions);
      stream.under_way = stream.actions.sends.size() + stream.actions.receives.size();
      if (stream.under_way > 0) return start_messages(number);
      end_step(number);
    }
  }

  void start_messages(std::uint32_t number) {
    Stream& stream = streams_[number];
    for (const Transfer& transfer : stream.actions.receives) {
      MPI_Request request;
      const auto [data, count, type] = layout_of(stream, transfer);
      MPI_Irecv(data, count, type, static_cast<int>(transfer.peer), static_cast<int>(number), communicator_, &request);
      remember_request(request, number);
    }
    for (const Transfer& transfer : stream.actions.sends) {
      MPI_Request request;
      const auto [data, count, type] = layout_of(stream, transfer);
      MPI_Isend(data, count, type, static_cast<int>(transfer.peer), static_cast<int>(number), communicator_, &request);
      remember_request(request, number);
    }
  }

  struct Layout {
    std::byte* data;
    int count;
    MPI_Datatype type;
  };

  Layout layout_of(Stream& stream, const Transfer& transfer) {
    const std::span ranges(stream.actions.ranges.data() + transfer.first_range, transfer.range_count);
    if (combine_ == nullptr) {
      return {memory_.data(), static_cast<int>(bytes_of(schedule_, rank_, stream.actions, transfer)), MPI_BYTE};
    }
    if (ranges.empty()) return {memory_.data(), 0, MPI_BYTE};
    if (ranges.size() == 1) return {slot(ranges[0].first), static_cast<int>(size_of(ranges[0])), MPI_BYTE};
    std::vector<int> lengths;
    std::vector<MPI_Aint> offsets;
    for (const SlotRange& range : ranges) {
      lengths.push_back(static_cast<int>(size_of(range)));
      offsets.push_back(static_cast<MPI_Aint>(offsets_[range.first]));
    }
    MPI_Datatype type;
    MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), offsets.data(), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    stream.types.push_back(type);
    return {memory_.data(), 1, type};
  }

  [[nodiscard]] std::size_t size_of(SlotRange range) const {
    return offsets_[range.first + range.count] - offsets_[range.first];
  }

  void end_step(std::uint32_t number) {
    Stream& stream = streams_[number];
    for (MPI_Datatype& type : stream.types) MPI_Type_free(&type);
    stream.types.clear();
    if (combine_ == nullptr) return;
    for (const LocalOperation& local : stream.actions.locals) {
      const std::size_t size = size_of(local.from);
      if (local.kind == LocalOperation::Kind::copy)
        std::memmove(slot(local.to), slot(local.from.first), size);
      else
        combine_(slot(local.to), slot(local.from.first), size);
    }
  }

  void remember_request(MPI_Request request, std::uint32_t stream) {
    requests_.push_back(request);
    stream_of_.push_back(stream);
  }

  std::uint32_t forget_request(std::size_t which) {
    const std::uint32_t stream = stream_of_[which];
    requests_[which] = requests_.back();
    stream_of_[which] = stream_of_.back();
    requests_.pop_back();
    stream_of_.pop_back();
    return stream;
  }

  const Schedule& schedule_;
  MPI_Comm communicator_;
  std::span<std::byte> memory_;
  Combine combine_;
  Rank rank_ = 0;
  std::vector<std::size_t> offsets_;
  std::vector<Stream> streams_;
  std::vector<MPI_Request> requests_;
  std::vector<std::uint32_t> stream_of_;
};

}  // namespace ayatori
