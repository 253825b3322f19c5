#include "ayatori/executor/executor.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ayatori {

namespace {

OperandOrder order_of(LocalOperation::Kind kind) {
  if (kind == LocalOperation::Kind::append) return OperandOrder::to_first;
  return kind == LocalOperation::Kind::prepend ? OperandOrder::from_first : OperandOrder::any;
}

}  // namespace

Executor::Executor(const RankProgram& program, Carrier& carrier, Combine combine)
    : program_(program),
      carrier_(carrier),
      combine_(std::move(combine)),
      regions_(program.region_bytes().size()),
      pieces_(program.pieces().size()),
      messages_(program.messages().size()),
      streams_(program.stream_count()),
      stream_of_(program.max_open_messages()),
      completed_(program.max_open_messages()) {
  for (std::uint32_t stream = 0; stream < program.stream_count(); ++stream) {
    const auto first = stream_of_.begin() + program.first_request(stream);
    std::fill(first, stream_of_.end(), stream);
    for (const RankProgram::Step& step : program.steps(stream)) {
      for (std::uint32_t i = 0; i < step.message_count(); ++i) {
        const RankProgram::Message& message = program.messages()[step.first_message + i];
        messages_[step.first_message + i] = {message.peer, stream, message.bytes,
                                             std::span(pieces_).subspan(message.first_piece, message.piece_count)};
      }
    }
  }
}

Result<> Executor::start(std::span<std::byte* const> regions) {
  if (auto placed = place(regions); !placed) return placed;
  return begin_streams();
}

Result<> Executor::start(std::span<std::byte* const> regions, std::span<const Bytes> sizes) {
  if (auto placed = place(regions, sizes); !placed) return placed;
  return begin_streams();
}

Result<> Executor::execute(std::span<std::byte* const> regions) {
  if (auto placed = place(regions); !placed) return placed;
  return execute_through();
}

Result<> Executor::execute(std::span<std::byte* const> regions, std::span<const Bytes> sizes) {
  if (auto placed = place(regions, sizes); !placed) return placed;
  return execute_through();
}

/// Says where the program's memory is in this execution.
Result<> Executor::place(std::span<std::byte* const> regions) {
  if (regions.size() != regions_.size()) {
    return fail("{} regions of memory were given, but the program has {}", regions.size(), regions_.size());
  }
  std::copy(regions.begin(), regions.end(), regions_.begin());
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const RankProgram::Piece& piece = program_.pieces()[i];
    pieces_[i] = {address(piece), piece.bytes};
  }
  if (sizes_.empty()) return {};
  sizes_.clear();
  for (std::size_t i = 0; i < messages_.size(); ++i) messages_[i].bytes = program_.messages()[i].bytes;
  return {};
}

Result<> Executor::place(std::span<std::byte* const> regions, std::span<const Bytes> sizes) {
  if (regions.size() != regions_.size() || sizes.size() != regions_.size()) {
    return fail("{} regions and {} sizes were given, but the program has {}", regions.size(), sizes.size(),
                regions_.size());
  }
  std::copy(regions.begin(), regions.end(), regions_.begin());
  sizes_.assign(sizes.begin(), sizes.end());
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const std::uint32_t region = program_.pieces()[i].region;
    pieces_[i] = {regions_[region], sizes_[region]};
  }
  for (CarriedMessage& message : messages_) {
    message.bytes = 0;
    for (const auto& piece : message.pieces) message.bytes += piece.size();
  }
  return {};
}

Result<> Executor::begin_streams() {
  for (std::uint32_t stream = 0; stream < streams_.size(); ++stream) {
    streams_[stream] = {};
    if (auto begun = begin_steps(stream); !begun) return give_up(begun.error());
  }
  return {};
}

std::byte* Executor::address(const RankProgram::Piece& piece) const { return regions_[piece.region] + piece.offset; }

/// Takes the stream to its next step with messages, or to its end.
Result<> Executor::begin_steps(std::uint32_t number) {
  Stream& stream = streams_[number];
  const auto steps = program_.steps(number);
  for (; stream.step < steps.size(); ++stream.step) {
    const RankProgram::Step& step = steps[stream.step];
    if (auto posted = post_messages(number, step); !posted) return posted;
    if (stream.open > 0) return {};
    do_locals(step);
  }
  return {};
}

/// Receives are posted before sends, so that a message that arrives at once finds its receive.
Result<> Executor::post_messages(std::uint32_t number, const RankProgram::Step& step) {
  for (std::uint32_t i = 0; i < step.message_count(); ++i) {
    const CarriedMessage& message = messages_[step.first_message + i];
    if (message.bytes == 0 && !sizes_.empty()) continue;
    const RequestId request = program_.first_request(number) + i;
    ++streams_[number].open;
    ++open_;
    const auto posted =
        i < step.receive_count ? carrier_.post_receive(request, message) : carrier_.post_send(request, message);
    if (!posted) return posted;
  }
  return {};
}

Result<> Executor::execute_through() {
  if (streams_.size() != 1) {
    if (auto begun = begin_streams(); !begun) return begun;
    return finish();
  }
  for (const RankProgram::Step& step : program_.steps(0)) {
    const auto exchanged = exchange(step);
    if (!exchanged) return Failure(exchanged.error());
    if (!*exchanged) {
      if (auto carried = carry_one_by_one(step); !carried) return give_up(carried.error());
    }
    do_locals(step);
  }
  return {};
}

/// The messages of a step of the only stream.
Result<> Executor::carry_one_by_one(const RankProgram::Step& step) {
  if (auto posted = post_messages(0, step); !posted) return posted;
  while (open_ > 0) {
    const auto count = carrier_.wait_some(completed_);
    if (!count) return Failure(count.error());
    open_ -= static_cast<std::uint32_t>(*count);
  }
  streams_.front().open = 0;
  return {};
}

/// All messages of a step at once. Where sizes are by rank, some of them may not exist: then message by message.
Result<bool> Executor::exchange(const RankProgram::Step& step) {
  if (!sizes_.empty()) return false;
  const std::span<const CarriedMessage> messages = std::span(messages_).subspan(step.first_message);
  return carrier_.exchange(messages.first(step.receive_count), messages.subspan(step.receive_count, step.send_count));
}

void Executor::do_locals(const RankProgram::Step& step) {
  for (const RankProgram::Local& local : program_.locals().subspan(step.first_local, step.local_count)) {
    const Bytes bytes = sizes_.empty() ? local.from.bytes : sizes_[local.from.region];
    if (bytes == 0) continue;
    if (local.kind == LocalOperation::Kind::copy) {
      std::memcpy(address(local.to), address(local.from), bytes);
    } else {
      combine_(address(local.to), address(local.from), bytes, order_of(local.kind));
    }
  }
}

Result<bool> Executor::advance() {
  while (open_ > 0) {
    const auto count = carrier_.test_some(completed_);
    if (!count) return Failure(give_up(count.error()).error());
    if (*count == 0) return false;
    if (auto gone_on = complete(*count); !gone_on) return Failure(gone_on.error());
  }
  return true;
}

Result<> Executor::finish() {
  while (open_ > 0) {
    const auto count = carrier_.wait_some(completed_);
    if (!count) return give_up(count.error());
    if (auto gone_on = complete(*count); !gone_on) return gone_on;
  }
  return {};
}

/// The first `count` of `completed_` are complete: streams that waited for nothing else go on.
Result<> Executor::complete(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t number = stream_of_[completed_[i]];
    Stream& stream = streams_[number];
    --open_;
    if (--stream.open > 0) continue;
    do_locals(program_.steps(number)[stream.step]);
    ++stream.step;
    if (auto begun = begin_steps(number); !begun) return give_up(begun.error());
  }
  return {};
}

Result<> Executor::give_up(const Error& error) {
  open_ = 0;
  return Failure(error);
}

}  // namespace ayatori
