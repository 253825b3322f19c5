#pragma once
/// \file
/// The addresses of an address vector. Those that are inserted in the order of the ranks follow from a rule and take no
/// memory:
///
///     address(i) = {first.rank + i, first.endpoint}  for i < by_rule
///
/// Every other one is kept, in 8 bytes, and in as many for finding it by its address.

#include <cstdint>
#include <optional>
#include <vector>

#include "frame.hpp"

namespace ayatori::fabric {

/// Not thread-safe.
class Addresses {
 public:
  /// The index of an address; that which it has already, if it was inserted before.
  std::uint64_t insert(const Address& address);

  /// Its index may be given to another one later. Those that follow from the rule stay.
  void remove(std::uint64_t index);

  [[nodiscard]] std::optional<Address> at(std::uint64_t index) const {
    if (index < by_rule_) return Address{first_.rank + static_cast<Rank>(index), first_.endpoint};
    if (index - by_rule_ >= kept_.size()) return std::nullopt;
    return kept_[index - by_rule_];
  }
  [[nodiscard]] std::optional<std::uint64_t> find(const Address& address) const;

  [[nodiscard]] std::uint64_t size() const { return by_rule_ + kept_.size(); }
  [[nodiscard]] Bytes memory_bytes() const {
    return kept_.capacity() * sizeof(Address) + (places_.capacity() + free_.capacity()) * sizeof(std::uint32_t);
  }

 private:
  [[nodiscard]] std::size_t place_of(const Address& address) const;
  void make_room();

  Address first_;
  std::uint64_t by_rule_ = 0;
  std::vector<Address> kept_;
  std::vector<std::uint32_t> free_;    // indices in kept_
  std::size_t filled_ = 0;             // of the table
  std::vector<std::uint32_t> places_;  // a hash table of indices in kept_, with open addressing; no_id: empty
};

}  // namespace ayatori::fabric
