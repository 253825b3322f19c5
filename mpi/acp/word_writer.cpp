#include "word_writer.hpp"

#include <algorithm>

namespace ayatori {

Result<bool> WordWriter::has_room(std::uint64_t words, std::uint64_t freed) {
  if (written_ + words > freed + ring_.words()) return false;
  while (written_ + words > ended_ + ring_.words()) {
    // A word of ours may not change, nor may the peer's be written again, while an older put may still come.
    if (puts_.empty()) return fail("a ring lost count of its puts");
    const auto ended = has_ended(puts_.front().handle);
    if (!ended) return Failure(ended.error());
    if (!*ended) return false;
    ended_ = puts_.front().end;
    puts_.pop_front();
  }
  return true;
}

Result<> WordWriter::flush() {
  while (flushed_ < written_) {
    const Bytes begin = ring_.place(flushed_);
    const Bytes bytes = std::min((written_ - flushed_) * bytes_of_word, ring_.words() * bytes_of_word - begin);
    const auto put = start_copy(peers_ring_ + begin, memory_->at(memory_->self(), staging_ + begin), bytes);
    if (!put) return Failure(put.error());
    flushed_ += bytes / bytes_of_word;
    puts_.push_back({*put, flushed_});
  }
  return {};
}

}  // namespace ayatori
