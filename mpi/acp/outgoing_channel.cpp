#include "outgoing_channel.hpp"

#include <algorithm>

namespace ayatori {

Result<OutgoingChannel> OutgoingChannel::make(AcpMemory& memory, ChannelName name) {
  const auto block = memory.take(OutgoingBlock::bytes);
  if (!block) return Failure(block.error());
  return OutgoingChannel(memory, name, *block);
}

OutgoingChannel::OutgoingChannel(const AcpMemory& memory, ChannelName name, Bytes block)
    : memory_(&memory),
      name_(name),
      block_(block),
      writer_(memory, block + OutgoingBlock::staging, words_of_ring),
      announcements_(memory.at(block + OutgoingBlock::announcements), words_of_announcements) {}

void OutgoingChannel::post(RequestId request, const CarriedMessage& message) {
  (message.bytes <= max_small_bytes ? small_ : large_).push_back({request, message});
}

Result<> OutgoingChannel::progress(const Introductions& introductions, std::vector<RequestId>& completed) {
  const auto connected = connect(introductions);
  if (!connected) return Failure(connected.error());
  if (!*connected) return {};
  if (auto sent = send_small(completed); !sent) return sent;
  if (auto sent = send_large(); !sent) return sent;
  while (!ending_.empty()) {
    const auto ended = has_ended(ending_.front().copy);
    if (!ended) return Failure(ended.error());
    if (!*ended) return {};
    completed.push_back(ending_.front().request);
    ending_.pop_front();
  }
  return {};
}

/// As soon as the receiver has told where its block is, tells it where ours is.
Result<bool> OutgoingChannel::connect(const Introductions& introductions) {
  if (peers_block_) return true;
  peers_block_ = introductions.told(name_);
  if (!peers_block_) return false;
  writer_.connect(memory_->at(name_.first, *peers_block_ + IncomingBlock::ring));
  const auto own = static_cast<std::uint32_t>(block_ / unit_of_blocks);
  store_word(memory_->at(block_ + OutgoingBlock::greeting), flagged(own, 1));
  const auto greeted = start_copy(memory_->at(name_.first, *peers_block_ + IncomingBlock::greeting),
                                  memory_->at(memory_->self(), block_ + OutgoingBlock::greeting), bytes_of_word);
  if (!greeted) return Failure(greeted.error());
  return true;
}

namespace {

/// The bytes of a message, 4 at a time.
template <typename Each>
void visit_words(const CarriedMessage& message, Each each) {
  std::uint32_t word = 0;
  Bytes filled = 0;
  for (const auto& piece : message.pieces) {
    const std::byte* from = piece.data();
    for (std::size_t left = piece.size(); left > 0;) {
      const std::size_t part = std::min<std::size_t>(left, data_bytes_of_word - filled);
      std::memcpy(reinterpret_cast<std::byte*>(&word) + filled, from, part);
      from += part;
      left -= part;
      filled += part;
      if (filled < data_bytes_of_word) continue;
      each(word);
      word = 0;
      filled = 0;
    }
  }
  if (filled > 0 || message.bytes == 0) each(word);
}

}  // namespace

Result<> OutgoingChannel::send_small(std::vector<RequestId>& completed) {
  while (!small_.empty()) {
    const Send& send = small_.front();
    const auto room =
        writer_.has_room(words_of(send.message.bytes), load_word(memory_->at(block_ + OutgoingBlock::words_read)));
    if (!room) return Failure(room.error());
    if (!*room) break;
    visit_words(send.message, [&](std::uint32_t word) { writer_.append(word); });
    completed.push_back(send.request);
    small_.pop_front();
  }
  return writer_.flush();
}

bool OutgoingChannel::segment_is_announced() {
  if (segment_.pieces == 0) {
    const auto pieces = announcements_.take();
    if (!pieces) return false;
    segment_.pieces = *pieces;
    segment_.words.clear();
  }
  while (segment_.words.size() + 1 < words_of_segment(segment_.pieces)) {
    const auto word = announcements_.take();
    if (!word) return false;
    segment_.words.push_back(*word);
  }
  return true;
}

Result<> OutgoingChannel::send_large() {
  while (!large_.empty()) {
    if (reports_.size() == max_reports) {
      const auto ended = has_ended(reports_.front());
      if (!ended) return Failure(ended.error());
      if (!*ended) return {};
      reports_.pop_front();
    }
    if (!segment_is_announced()) return {};
    Send& send = large_.front();
    const auto put = put_segment(send);
    if (!put) return Failure(put.error());
    if (auto reported = report_segment(*put); !reported) return reported;
    while (send.piece < send.message.pieces.size() && send.message.pieces[send.piece].empty()) ++send.piece;
    if (send.piece < send.message.pieces.size()) continue;
    ending_.push_back({*put, send.request});
    large_.pop_front();
  }
  return {};
}

/// Returns the last of its copies.
Result<acp_handle_t> OutgoingChannel::put_segment(Send& send) {
  acp_handle_t last = 0;
  for (std::uint32_t i = 0; i < segment_.pieces; ++i) {
    const auto both = [&](std::uint32_t word) {
      return std::uint64_t{segment_.words[4 * i + word]} | std::uint64_t{segment_.words[4 * i + word + 1]} << 32;
    };
    const auto put = put_piece(send, both(0), both(2));
    if (!put) return put;
    last = *put;
  }
  segment_.pieces = 0;
  return last;
}

/// Into one piece of the receiver's, from as many of ours as that takes.
Result<acp_handle_t> OutgoingChannel::put_piece(Send& send, acp_ga_t to, Bytes bytes) {
  acp_handle_t last = 0;
  while (bytes > 0) {
    if (send.piece == send.message.pieces.size()) return fail("a peer announced more bytes than its message has");
    const auto& piece = send.message.pieces[send.piece];
    const Bytes part = std::min<Bytes>(bytes, piece.size() - send.offset);
    if (part > 0) {
      const auto from = memory_->global_address(piece.data() + send.offset, part);
      if (!from) return Failure(from.error());
      const auto put = start_copy(to, *from, part);
      if (!put) return put;
      last = *put;
    }
    to += part;
    bytes -= part;
    send.offset += part;
    if (send.offset < piece.size()) continue;
    ++send.piece;
    send.offset = 0;
  }
  return last;
}

Result<> OutgoingChannel::report_segment(acp_handle_t after) {
  const Bytes place = block_ + OutgoingBlock::reports + segments_put_ % max_reports * sizeof(std::uint64_t);
  store_word(memory_->at(place), ++segments_put_);
  const auto report = start_copy(memory_->at(name_.first, *peers_block_ + IncomingBlock::segments),
                                 memory_->at(memory_->self(), place), sizeof(std::uint64_t), after);
  if (!report) return Failure(report.error());
  reports_.push_back(*report);
  return {};
}

}  // namespace ayatori
