#include "introductions.hpp"

namespace ayatori {

namespace {

constexpr std::uint64_t entries = 64;
constexpr WordRing ring{2 * entries};
constexpr Bytes bytes_of_entry = 2 * bytes_of_word;

// The queue: the next number to draw, how many entries its owner has taken out, and the entries.
constexpr Bytes tickets = 0;
constexpr Bytes count = 64;
constexpr Bytes first_entry = 128;
constexpr Bytes bytes_of_queue = first_entry + entries * bytes_of_entry;

// What operations read and write here.
constexpr Bytes number_answer = 0;
constexpr Bytes count_answer = 8;
constexpr Bytes entry_to_write = 16;
constexpr Bytes bytes_of_answers = entry_to_write + bytes_of_entry;

constexpr std::uint32_t offset_bits = 20;
constexpr Bytes offset_unit = 64;
static_assert(Introductions::max_offset == offset_unit << offset_bits);
static_assert(Introductions::max_streams == 1U << (32 - offset_bits));

}  // namespace

Result<Introductions> Introductions::make(AcpMemory& memory) {
  const auto queue = memory.take(bytes_of_queue);
  if (!queue) return Failure(queue.error());
  const auto answers = memory.take(bytes_of_answers);
  if (!answers) return Failure(answers.error());
  return Introductions(memory, *queue, *answers);
}

std::optional<Bytes> Introductions::told(ChannelName channel) const {
  const auto found = told_.find(channel);
  if (found == told_.end()) return std::nullopt;
  return found->second;
}

void Introductions::hear() {
  const auto flag = [&] { return ring.flag(2 * heard_); };
  for (;;) {
    const std::byte* const entry = memory_->at(queue_ + first_entry + heard_ % entries * bytes_of_entry);
    const FlaggedWord who = load_word(entry);
    const FlaggedWord where = load_word(entry + bytes_of_word);
    if (who >> 32 != flag() || where >> 32 != flag()) return;
    const auto place = static_cast<std::uint32_t>(where);
    told_[{static_cast<Rank>(who), place >> offset_bits}] = (place & ((1U << offset_bits) - 1)) * offset_unit;
    ++heard_;
    store_word(memory_->at(queue_ + count), heard_);
  }
}

Result<> Introductions::progress() {
  hear();
  while (!to_tell_.empty()) {
    const auto went_on = tell_more();
    if (!went_on) return Failure(went_on.error());
    if (!*went_on) return {};
  }
  return {};
}

Result<> Introductions::draw_number() {
  operation_ = acp_add8(memory_->at(memory_->self(), answers_ + number_answer),
                        memory_->at(to_tell_.front().channel.first, queue_ + tickets), 1, ACP_HANDLE_NULL);
  if (operation_ == static_cast<acp_handle_t>(ACP_HANDLE_NULL)) return refused("acp_add8");
  return {};
}

Result<> Introductions::ask_count() {
  const auto copy = start_copy(memory_->at(memory_->self(), answers_ + count_answer),
                               memory_->at(to_tell_.front().channel.first, queue_ + count), sizeof(std::uint64_t));
  if (!copy) return Failure(copy.error());
  operation_ = *copy;
  return {};
}

Result<> Introductions::write_entry() {
  const Introduction& introduction = to_tell_.front();
  const std::uint64_t number = load_word(memory_->at(answers_ + number_answer));
  const std::uint32_t flag = ring.flag(2 * number);
  const std::uint32_t place =
      introduction.channel.second << offset_bits | static_cast<std::uint32_t>(introduction.offset / offset_unit);
  std::byte* const entry = memory_->at(answers_ + entry_to_write);
  store_word(entry, flagged(memory_->self(), flag));
  store_word(entry + bytes_of_word, flagged(place, flag));
  const auto copy =
      start_copy(memory_->at(introduction.channel.first, queue_ + first_entry + number % entries * bytes_of_entry),
                 memory_->at(memory_->self(), answers_ + entry_to_write), bytes_of_entry);
  if (!copy) return Failure(copy.error());
  operation_ = *copy;
  return {};
}

Result<bool> Introductions::tell_more() {
  if (stage_ == Stage::draw) {
    if (auto drawn = draw_number(); !drawn) return Failure(drawn.error());
    stage_ = Stage::wait_for_number;
  }
  const auto ended = has_ended(operation_);
  if (!ended) return Failure(ended.error());
  if (!*ended) return false;
  Result<> started;
  switch (stage_) {
    case Stage::wait_for_number:
      started = ask_count();
      stage_ = Stage::wait_for_count;
      break;
    case Stage::wait_for_count: {
      const std::uint64_t taken_out = load_word(memory_->at(answers_ + count_answer));
      const bool is_free = load_word(memory_->at(answers_ + number_answer)) < taken_out + entries;
      started = is_free ? write_entry() : ask_count();
      if (!started) return Failure(started.error());
      if (is_free) stage_ = Stage::wait_for_entry;
      return is_free;  // a full queue is asked again later
    }
    default:
      to_tell_.pop_front();
      stage_ = Stage::draw;
  }
  if (!started) return Failure(started.error());
  return true;
}

}  // namespace ayatori
