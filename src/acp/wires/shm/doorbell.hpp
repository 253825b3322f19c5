#pragma once
/// \file
/// Wakes a process of this machine that sleeps in poll(2): a pipe, which others open as they open its memory
/// (shm_file.hpp).

#include "ayatori/base/ids.hpp"
#include "ayatori/shm/shm_file.hpp"

namespace ayatori::wires {

class Doorbell {
 public:
  /// Error: a living process has the same folder and rank.
  [[nodiscard]] static Result<Doorbell> make(std::filesystem::path folder, Rank self);

  void wake(Rank peer);  ///< nothing happens if the peer is not there
  void drain();          ///< takes back all signals so far
  [[nodiscard]] int descriptor() const { return read_end_.number(); }
  void withdraw() { published_.withdraw(); }
  void disown();  ///< see PollableWire

 private:
  explicit Doorbell(std::filesystem::path folder) : folder_(std::move(folder)) {}
  [[nodiscard]] std::filesystem::path link_of(Rank rank) const { return folder_ / fmt::format("bell-{}", rank); }

  std::filesystem::path folder_;
  Descriptor read_end_;
  Descriptor write_end_;
  PublishedDescriptor published_;
};

}  // namespace ayatori::wires
