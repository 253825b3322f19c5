#include "ayatori/player/player.hpp"

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

Player::Player(const RankProgram& program, Carrier& carrier, Combine combine)
    : program_(program),
      carrier_(carrier),
      combine_(std::move(combine)),
      regions_(program.region_bytes().size()),
      pieces_(program.pieces().size()),
      streams_(program.stream_count()),
      stream_of_(program.max_open_messages()),
      completed_(program.max_open_messages()) {
  for (std::uint32_t stream = 0; stream < program.stream_count(); ++stream) {
    const auto first = stream_of_.begin() + program.first_request(stream);
    std::fill(first, stream_of_.end(), stream);
  }
}

Result<> Player::start(std::span<std::byte* const> regions) {
  if (regions.size() != regions_.size()) {
    return fail("{} regions of memory were given, but the program has {}", regions.size(), regions_.size());
  }
  std::copy(regions.begin(), regions.end(), regions_.begin());
  sizes_.clear();
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const RankProgram::Piece& piece = program_.pieces()[i];
    pieces_[i] = {address(piece), piece.bytes};
  }
  return begin_streams();
}

Result<> Player::start(std::span<std::byte* const> regions, std::span<const Bytes> sizes) {
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
  return begin_streams();
}

Result<> Player::begin_streams() {
  for (std::uint32_t stream = 0; stream < streams_.size(); ++stream) {
    streams_[stream] = {};
    if (auto begun = begin_steps(stream); !begun) return give_up(begun.error());
  }
  return {};
}

std::byte* Player::address(const RankProgram::Piece& piece) const { return regions_[piece.region] + piece.offset; }

/// Takes the stream to its next step with messages, or to its end.
Result<> Player::begin_steps(std::uint32_t number) {
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

std::span<const std::span<std::byte>> Player::pieces_of(const RankProgram::Message& message) const {
  return std::span(pieces_).subspan(message.first_piece, message.piece_count);
}

/// Receives are posted before sends, so that a message that arrives at once finds its receive.
Result<> Player::post_messages(std::uint32_t number, const RankProgram::Step& step) {
  for (std::uint32_t i = 0; i < step.message_count(); ++i) {
    const RankProgram::Message& message = program_.messages()[step.first_message + i];
    const RequestId request = program_.first_request(number) + i;
    CarriedMessage carried{message.peer, number, message.bytes, pieces_of(message)};
    if (!sizes_.empty()) {
      carried.bytes = 0;
      for (const auto& piece : carried.pieces) carried.bytes += piece.size();
      if (carried.bytes == 0) continue;
    }
    ++streams_[number].open;
    ++open_;
    const auto posted =
        i < step.receive_count ? carrier_.post_receive(request, carried) : carrier_.post_send(request, carried);
    if (!posted) return posted;
  }
  return {};
}

void Player::do_locals(const RankProgram::Step& step) {
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

Result<bool> Player::advance() {
  while (open_ > 0) {
    const auto count = carrier_.test_some(completed_);
    if (!count) return Failure(give_up(count.error()).error());
    if (*count == 0) return false;
    if (auto gone_on = complete(*count); !gone_on) return Failure(gone_on.error());
  }
  return true;
}

Result<> Player::finish() {
  while (open_ > 0) {
    const auto count = carrier_.wait_some(completed_);
    if (!count) return give_up(count.error());
    if (auto gone_on = complete(*count); !gone_on) return gone_on;
  }
  return {};
}

/// The first `count` of `completed_` are complete: streams that waited for nothing else go on.
Result<> Player::complete(std::size_t count) {
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

Result<> Player::give_up(const Error& error) {
  open_ = 0;
  return Failure(error);
}

}  // namespace ayatori
