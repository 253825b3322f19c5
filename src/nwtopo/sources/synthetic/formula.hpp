#pragma once
/// \file
/// The notation of all formulas, and the checks that apply to every formula.
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
  /// `kind` and `synopsis` appear in error messages; `keys` are the keys of the kind. The Formula keeps views of
  /// `text`.
  [[nodiscard]] static Result<Formula> parse(std::string_view kind, std::string_view synopsis, std::string_view text,
                                             std::span<const std::string_view> keys);

  /// The text before the first key; may be empty.
  [[nodiscard]] std::string_view shape() const { return shape_; }
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }

  /// The key's number, or `otherwise` where it is not given. Error: its value is not one number from `least` to `most`.
  [[nodiscard]] Result<std::uint64_t> number(std::string_view key, std::uint64_t otherwise, std::uint64_t least,
                                             std::uint64_t most) const;
  /// The key's numbers; none if it is not given. Error: a value that is not a number from 1 to 2^24.
  [[nodiscard]] Result<std::vector<std::uint64_t>> numbers(std::string_view key) const;
  /// The value of `rate`; 4xHDR if it is not given.
  [[nodiscard]] Result<LinkRate> rate() const;

  /// The error "fattree: what", with the synopsis as its hint.
  [[nodiscard]] Failure wrong(std::string what) const;
  /// The same for what is right, but larger than a network can be (EOVERFLOW).
  [[nodiscard]] Failure too_large(std::string what) const;

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

/// Adds up the devices and ports of a formula before anything is allocated. Sums saturate at 2^64 - 1.
class Size {
 public:
  /// Adds `count` devices with `ports` ports each.
  void add(std::uint64_t count, std::uint64_t ports);
  /// Error: more than 2^24 nodes, or 2^26 port slots.
  [[nodiscard]] Result<> check(const Formula& formula) const;

 private:
  std::uint64_t nodes_ = 0;
  std::uint64_t slots_ = 0;
};

/// a + b, or 2^64 - 1 if the sum is larger.
[[nodiscard]] std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b);
/// a · b, or 2^64 - 1 if the product is larger.
[[nodiscard]] std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b);

/// GUIDs by formula: 0x0020… for routers and 0x0010… for NICs; the port GUIDs follow each of them.
[[nodiscard]] Guid router_guid(std::uint64_t index);
[[nodiscard]] Guid nic_guid(std::uint64_t index);

/// Adds a NIC of the host "NAME", described as a driver does: "NAME HCA-1" is the NIC of rail 0.
NetworkBuilder::Handle add_host_nic(NetworkBuilder& builder, std::string_view host, std::uint64_t index,
                                    PortNumber ports, std::uint16_t rail);

}  // namespace ayatori
