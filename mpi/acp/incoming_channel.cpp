#include "incoming_channel.hpp"

#include <algorithm>

namespace ayatori {

Result<IncomingChannel> IncomingChannel::make(AcpMemory& memory, Introductions& introductions, ChannelName name) {
  const auto block = memory.take(IncomingBlock::bytes);
  if (!block) return Failure(block.error());
  if (*block >= Introductions::max_offset || name.second >= Introductions::max_streams) {
    return fail("stream {} at byte {} is more than an introduction can tell", name.second, *block);
  }
  introductions.tell(name, *block);
  return IncomingChannel(memory, name, *block);
}

IncomingChannel::IncomingChannel(const AcpMemory& memory, ChannelName name, Bytes block)
    : memory_(&memory),
      name_(name),
      block_(block),
      reader_(memory.at(block + IncomingBlock::ring), words_of_ring),
      announcements_(memory, block + IncomingBlock::staging, words_of_announcements) {}

void IncomingChannel::post(RequestId request, const CarriedMessage& message) {
  (message.bytes <= max_small_bytes ? small_ : large_).push_back({request, message});
}

Result<> IncomingChannel::progress(std::vector<RequestId>& completed) {
  receive_small(completed);
  receive_large(completed);
  if (!knows_sender()) return {};
  if (auto announced = announce_large(); !announced) return announced;
  return report_words_read();
}

bool IncomingChannel::knows_sender() {
  if (peers_block_) return true;
  const FlaggedWord greeting = load_word(memory_->at(block_ + IncomingBlock::greeting));
  if (greeting >> 32 == 0) return false;
  peers_block_ = static_cast<std::uint32_t>(greeting) * unit_of_blocks;
  announcements_.connect(memory_->at(name_.first, *peers_block_ + OutgoingBlock::announcements));
  return true;
}

/// The number that is written lies in our memory until the put has ended.
Result<> IncomingChannel::report_words_read() {
  if (!owes_report()) return {};
  if (report_ != 0) {
    const auto ended = has_ended(report_);
    if (!ended) return Failure(ended.error());
    if (!*ended) return {};
  }
  reported_ = reader_.position();
  store_word(memory_->at(block_ + IncomingBlock::report), reported_);
  const auto report = start_copy(memory_->at(name_.first, *peers_block_ + OutgoingBlock::words_read),
                                 memory_->at(memory_->self(), block_ + IncomingBlock::report), sizeof reported_);
  if (!report) return Failure(report.error());
  report_ = *report;
  return {};
}

void IncomingChannel::receive_small(std::vector<RequestId>& completed) {
  while (!small_.empty() && receive_words(small_.front())) {
    completed.push_back(small_.front().request);
    small_.pop_front();
  }
}

/// Whether the message has arrived.
bool IncomingChannel::receive_words(Receive& receive) {
  if (receive.message.bytes == 0) return reader_.take().has_value();
  while (receive.begun < receive.message.bytes) {
    const auto word = reader_.take();
    if (!word) return false;
    const std::uint32_t data = *word;
    const Bytes arrived = std::min(data_bytes_of_word, receive.message.bytes - receive.begun);
    for (Bytes used = 0; used < arrived;) {
      const auto& piece = receive.message.pieces[receive.piece];
      const Bytes part = std::min<Bytes>(arrived - used, piece.size() - receive.offset);
      std::memcpy(piece.data() + receive.offset, reinterpret_cast<const std::byte*>(&data) + used, part);
      used += part;
      receive.offset += part;
      if (receive.offset < piece.size()) continue;
      ++receive.piece;
      receive.offset = 0;
    }
    receive.begun += arrived;
  }
  return true;
}

Result<> IncomingChannel::announce_large() {
  while (!large_.empty()) {
    const auto announced = announce_segment(large_.front());
    if (!announced) return Failure(announced.error());
    if (!*announced) break;
    if (large_.front().begun == large_.front().message.bytes) large_.pop_front();
  }
  return announcements_.flush();
}

/// False if there is no room for the announcement yet.
Result<bool> IncomingChannel::announce_segment(Receive& receive) {
  const auto room = announcements_.has_room(words_of_segment(max_pieces_of_segment), freed_words_);
  if (!room) return Failure(room.error());
  if (!*room) return false;
  std::vector<std::span<std::byte>> pieces;
  for (; pieces.size() < max_pieces_of_segment && receive.begun < receive.message.bytes; ++receive.piece) {
    const auto& piece = receive.message.pieces[receive.piece];
    if (piece.empty()) continue;
    pieces.push_back(piece);
    receive.begun += piece.size();
  }
  announcements_.append(static_cast<std::uint32_t>(pieces.size()));
  for (const auto& piece : pieces) {
    const auto ga = memory_->global_address(piece.data(), piece.size());
    if (!ga) return Failure(ga.error());
    for (const std::uint64_t number : {std::uint64_t{*ga}, std::uint64_t{piece.size()}}) {
      announcements_.append(static_cast<std::uint32_t>(number));
      announcements_.append(static_cast<std::uint32_t>(number >> 32));
    }
  }
  announced_words_ += words_of_segment(static_cast<std::uint32_t>(pieces.size()));
  const bool is_last = receive.begun == receive.message.bytes;
  announced_.push_back({announced_words_, is_last ? std::optional(receive.request) : std::nullopt});
  return true;
}

void IncomingChannel::receive_large(std::vector<RequestId>& completed) {
  const std::uint64_t put = load_word(memory_->at(block_ + IncomingBlock::segments));
  for (; segments_received_ < put; ++segments_received_) {
    freed_words_ = announced_.front().end_of_words;
    if (announced_.front().completes) completed.push_back(*announced_.front().completes);
    announced_.pop_front();
  }
}

}  // namespace ayatori
