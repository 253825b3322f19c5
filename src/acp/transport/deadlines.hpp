#pragma once
/// \file
/// The times at which contexts want attention. All memory is taken at construction; no call allocates. Not thread-safe.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ayatori/base/ids.hpp"
#include "ayatori/transport/time.hpp"

namespace ayatori::transport {

/// When which number below `capacity` wants attention: a binary heap that knows where each number stands.
class Deadlines {
 public:
  explicit Deadlines(std::uint32_t capacity);

  void set(std::uint32_t id, Time when);  ///< replaces an earlier setting; `never` clears it
  void clear(std::uint32_t id);

  [[nodiscard]] Time of(std::uint32_t id) const { return places_[id] == no_id ? never : times_[id]; }
  [[nodiscard]] Time earliest() const { return heap_.empty() ? never : times_[heap_.front()]; }

  /// Takes out the earliest number that is due.
  std::optional<std::uint32_t> pop_due(Time now);

 private:
  void sift_up(std::size_t place);
  void sift_down(std::size_t place);
  void put(std::size_t place, std::uint32_t id);

  std::vector<std::uint32_t> heap_;
  std::vector<std::uint32_t> places_;  // in heap_, by id; no_id where none is set
  std::vector<Time> times_;            // by id
};

}  // namespace ayatori::transport
