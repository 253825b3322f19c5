#pragma once
/// \file
/// Finds the machine that a name in a hostfile means.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// Whether the word is meant as a GUID: "0x…".
[[nodiscard]] bool is_guid(std::string_view host);

/// Looks hosts up by the rules of place_job(). Keeps a reference to the network.
class HostLookup {
 public:
  explicit HostLookup(const Network& network) : network_(network) {}

  /// Errors: no such host (the hint has the nearest name), a name that several hosts share, a router's GUID.
  [[nodiscard]] Result<MachineId> find(std::string_view host);
  /// Likewise; nothing where find() has an error. Quicker, as it looks for no hint.
  [[nodiscard]] std::optional<MachineId> find_by_any_name(std::string_view host);

 private:
  using Index = std::unordered_map<std::string, std::vector<MachineId>>;

  [[nodiscard]] const std::vector<MachineId>* machines_called(std::string_view host);
  [[nodiscard]] Result<MachineId> find_guid(std::string_view host) const;
  [[nodiscard]] Failure unknown(std::string_view host) const;
  void index_names();

  const Network& network_;
  bool indexed_ = false;  // most hostfiles name their hosts exactly and need no index
  Index by_folded_name_;
  Index by_short_name_;
};

/// Insertions, deletions, replacements and swaps of neighbours that change one text into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace ayatori
