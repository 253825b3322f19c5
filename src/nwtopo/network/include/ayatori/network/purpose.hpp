#pragma once
/// \file
/// The purpose of a network: its traffic. Clusters have one for storage, or one each for collectives and neighbours.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace ayatori {

enum class Purpose : std::uint8_t {
  everything,   ///< whatever there is
  collectives,  ///< messages of MPI's collectives
  neighbours,   ///< messages of MPI between two processes
  storage,      ///< files
  sockets,      ///< all that IP carries: not Fibre Channel
};

/// Those that files give to planes, and their words in files.
inline constexpr std::array named_purposes = {std::pair<std::string_view, Purpose>{"collectives", Purpose::collectives},
                                              std::pair<std::string_view, Purpose>{"neighbours", Purpose::neighbours},
                                              std::pair<std::string_view, Purpose>{"storage", Purpose::storage}};

/// What a plane is for; of a plane of which nobody says it, everything.
class PlaneUse {
 public:
  PlaneUse() = default;
  /// Some of named_purposes.
  [[nodiscard]] static constexpr PlaneUse only(std::span<const Purpose> purposes) {
    PlaneUse use;
    use.bits_ = 0;
    for (const Purpose purpose : purposes) use.bits_ |= bit(purpose);
    return use;
  }
  /// It carries IP, and nothing that jobs send.
  [[nodiscard]] static constexpr PlaneUse of_management() { return from_bits(0).value(); }
  /// It carries no IP, and storage alone.
  [[nodiscard]] static constexpr PlaneUse of_fibre_channel() {
    return from_bits(bit(Purpose::storage) | fibre).value();
  }

  [[nodiscard]] constexpr bool fibre_channel() const { return (bits_ & fibre) != 0; }
  [[nodiscard]] constexpr bool carries(Purpose purpose) const {
    if (purpose == Purpose::everything) return true;
    if (purpose == Purpose::sockets) return !fibre_channel();
    return (bits_ & bit(purpose)) != 0;
  }
  /// Those of named_purposes that it carries, in that order.
  [[nodiscard]] std::vector<Purpose> purposes() const {
    std::vector<Purpose> found;
    for (const auto& [word, purpose] : named_purposes) {
      if (carries(purpose)) found.push_back(purpose);
    }
    return found;
  }

  /// For caches: one bit for each of named_purposes, from the lowest on, and one for Fibre Channel.
  [[nodiscard]] constexpr std::uint8_t bits() const { return bits_; }
  /// Nothing if no plane has these bits: Fibre Channel is for storage alone.
  [[nodiscard]] static constexpr std::optional<PlaneUse> from_bits(std::uint8_t bits) {
    if (bits > fibre + bit(Purpose::storage)) return std::nullopt;
    if ((bits & fibre) != 0 && bits != (fibre | bit(Purpose::storage))) return std::nullopt;
    PlaneUse use;
    use.bits_ = bits;
    return use;
  }

  friend bool operator==(const PlaneUse&, const PlaneUse&) = default;

 private:
  static constexpr std::uint8_t fibre = 1U << named_purposes.size();
  static constexpr std::uint8_t bit(Purpose purpose) {
    return static_cast<std::uint8_t>(
        1U << (static_cast<unsigned>(purpose) - static_cast<unsigned>(Purpose::collectives)));
  }

  std::uint8_t bits_ = fibre - 1;
};

}  // namespace ayatori
