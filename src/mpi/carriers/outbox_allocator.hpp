#pragma once
/// \file
/// Allocates a sender's outbox. Payload of eager messages lies there until all of its readers have taken their
/// messages. Bytes are freed in the order in which they were allocated.

#include <cstdint>
#include <optional>
#include <vector>

#include "ayatori/base/ids.hpp"
#include "fifo.hpp"

namespace ayatori {

/// A message that reads from the outbox: number `number` of the lane to `peer`.
struct OutboxReader {
  Rank peer = 0;
  std::uint32_t number = 0;
};

/// A ring of allocations. Not safe for concurrent use.
class OutboxAllocator {
 public:
  /// Bytes begin … begin + bytes − 1 of the sender's outbox.
  OutboxAllocator(std::uint32_t begin, std::uint32_t bytes) : begin_(begin), bytes_(bytes) {}

  /// Allocates so many bytes, in one piece, aligned to a cache line; nothing if they do not fit now. They are kept
  /// until close(), and after that as long as `taken(reader)` is false for one of its readers.
  template <typename Taken>
  [[nodiscard]] std::optional<std::uint32_t> take(std::uint32_t bytes, Taken taken) {
    // Asking readers moves cache lines between cores: only when it must be.
    if (const auto offset = fit(bytes)) return offset;
    give_back(taken);
    return fit(bytes);
  }

  /// Another message reads what was taken last.
  void add_reader(OutboxReader reader) {
    readers_.push(reader);
    ++entries_.back().readers;
  }

  /// What was taken last gets no further readers.
  void close() {
    if (!entries_.empty()) entries_.back().open = false;
  }

 private:
  struct Entry {
    std::uint32_t begin = 0;
    std::uint32_t readers = 0;  ///< that have not taken it, at the front of `readers_`
    bool open = true;
  };

  template <typename Taken>
  void give_back(Taken taken) {
    while (!entries_.empty()) {
      Entry& oldest = entries_.front();
      for (; oldest.readers > 0; --oldest.readers, readers_.pop()) {
        if (!taken(readers_.front())) return;
      }
      if (oldest.open) return;
      entries_.pop();
    }
  }

  [[nodiscard]] std::optional<std::uint32_t> fit(std::uint32_t bytes);

  std::uint32_t begin_;
  std::uint32_t bytes_;
  std::uint32_t next_ = 0;  ///< after what was taken last
  Fifo<Entry> entries_;
  Fifo<OutboxReader> readers_;
};

}  // namespace ayatori
