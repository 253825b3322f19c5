#pragma once
/// \file
/// The notation that all formulas share, and what every formula is checked for.
///
///     formula = [shape] {separator key '=' value {separator value}}        separator = ',' | ';'
///
/// A part without '=' belongs to the key before it: "m=18,36;w=1,18" has two keys with two values each.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/builder.hpp"

namespace ayatori {

/// Port numbers end at 254: 255 means "drop" in a forwarding table.
inline constexpr std::uint64_t max_ports = 254;

class Formula {
 public:
  /// `kind` and `synopsis` speak in error messages; `keys` are those that the kind has. Views into `text` are kept.
  [[nodiscard]] static Result<Formula> parse(std::string_view kind, std::string_view synopsis, std::string_view text,
                                             std::span<const std::string_view> keys);

  /// What stands before the first key; empty if nothing does.
  [[nodiscard]] std::string_view shape() const { return shape_; }
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }

  /// The key's number, or `otherwise` where it is not given. Error: not one number from `least` to `most`.
  [[nodiscard]] Result<std::uint64_t> number(std::string_view key, std::uint64_t otherwise, std::uint64_t least,
                                             std::uint64_t most) const;
  /// The key's numbers; none where it is not given. Error: one that is no number from 1 to 2^24.
  [[nodiscard]] Result<std::vector<std::uint64_t>> numbers(std::string_view key) const;
  /// `rate=`, 4xHDR where it is not given.
  [[nodiscard]] Result<LinkRate> rate() const;

  /// "fattree: what" with the synopsis as the hint.
  [[nodiscard]] Failure wrong(std::string what) const;

 private:
  struct Entry {
    std::string_view key;
    std::vector<std::string_view> values;
  };
  [[nodiscard]] const Entry* find(std::string_view key) const;
  [[nodiscard]] Result<> add(std::string_view part, std::span<const std::string_view> keys);

  std::string_view kind_;
  std::string_view synopsis_;
  std::string_view shape_;
  std::vector<Entry> entries_;
};

/// Adds up what a formula asks for, before anything is allocated. Numbers that leave 64 bits stick to the end.
class Size {
 public:
  /// `count` nodes with `ports` ports each.
  void add(std::uint64_t count, std::uint64_t ports);
  /// Error: more than 2^24 nodes, or 2^26 port slots.
  [[nodiscard]] Result<> check(const Formula& formula) const;

 private:
  std::uint64_t nodes_ = 0;
  std::uint64_t slots_ = 0;
};

/// a + b, or the largest number if that is less.
[[nodiscard]] std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b);
/// a · b, or the largest number if that is less.
[[nodiscard]] std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b);

/// GUIDs by formula: 0x0020… for routers and 0x0010… for NICs, with room for the port GUIDs behind each.
[[nodiscard]] Guid router_guid(std::uint64_t index);
[[nodiscard]] Guid nic_guid(std::uint64_t index);

/// One NIC of the host "NAME", described as its driver would: "NAME HCA-1" is the NIC of rail 0.
NetworkBuilder::Handle add_host_nic(NetworkBuilder& builder, std::string_view host, std::uint64_t index,
                                    PortNumber ports, std::uint16_t rail);

}  // namespace ayatori
