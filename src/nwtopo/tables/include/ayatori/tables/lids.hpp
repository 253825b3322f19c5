#pragma once
/// \file
/// Which port answers to which LID.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// The LIDs base … base + 2^lmc − 1 of one port.
struct LidRange {
  PortId port = no_id;
  Lid base = 0;
  std::uint8_t lmc = 0;

  [[nodiscard]] std::uint32_t count() const { return 1U << lmc; }
};

class LidMap {
 public:
  LidMap() = default;

  /// Error: two ranges overlap, one ends after `last_unicast_lid`, or one starts at 0.
  [[nodiscard]] static Result<LidMap> from_ranges(const Network& network, std::vector<LidRange> ranges);

  /// The LIDs that the network's source reported. Error: a connected NIC, aggregation port or router without a LID.
  [[nodiscard]] static Result<LidMap> reported_by(const Network& network);

  /// Paper 1, section 4.1: the i-th endpoint in network order gets the base LID 2^lmc · (i + 1). Aggregation ports
  /// follow (same LMC: a subnet manager gives it to every channel adapter), then one LID per router.
  /// Errors: an LMC outside 0 … 7; more LIDs than exist (the message says how many are needed, and which LMC fits).
  [[nodiscard]] static Result<LidMap> assign(const Network& network, int lmc);

  /// The last LID that assign() would use; over `last_unicast_lid` if it does not fit.
  [[nodiscard]] static std::uint64_t last_lid_needed(const Network& network, int lmc);

  [[nodiscard]] Lid last() const { return static_cast<Lid>(owner_.empty() ? 0 : owner_.size() - 1); }
  [[nodiscard]] std::size_t lid_count() const { return lid_count_; }
  [[nodiscard]] PortId owner(Lid lid) const { return lid < owner_.size() ? owner_[lid] : no_id; }

  /// Range of a port; base 0 if it has none. Routers: their port 0.
  [[nodiscard]] LidRange of(PortId port) const;
  [[nodiscard]] std::span<const LidRange> ranges() const { return ranges_; }  ///< by base LID

 private:
  std::vector<LidRange> ranges_;
  std::vector<PortId> owner_;                 ///< by LID
  std::vector<std::uint32_t> range_of_port_;  ///< by port id, no_id if none
  std::size_t lid_count_ = 0;
};

}  // namespace ayatori
