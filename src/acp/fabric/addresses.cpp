#include "addresses.hpp"

#include <bit>

namespace ayatori::fabric {

namespace {

/// What a removed entry has. No job has so many ranks.
constexpr Address removed{.rank = no_id, .endpoint = 0};

std::uint64_t hash(const Address& address) {
  return (std::uint64_t{address.rank} << 16 | address.endpoint) * 0x9E3779B97F4A7C15;
}

}  // namespace

std::uint64_t Addresses::insert(const Address& address) {
  if (const auto known = find(address)) return *known;
  if (by_rule_ == 0 && kept_.empty()) first_ = address;
  const bool follows = address.endpoint == first_.endpoint && address.rank == std::uint64_t{first_.rank} + by_rule_;
  if (kept_.empty() && follows) return by_rule_++;
  make_room();
  std::uint32_t index = static_cast<std::uint32_t>(kept_.size());
  if (free_.empty()) {
    kept_.push_back(address);
  } else {
    index = free_.back();
    free_.pop_back();
    kept_[index] = address;
  }
  places_[place_of(address)] = index;
  return by_rule_ + index;
}

void Addresses::remove(std::uint64_t index) {
  if (index < by_rule_ || index - by_rule_ >= kept_.size() || kept_[index - by_rule_] == removed) return;
  kept_[index - by_rule_] = removed;
  free_.push_back(static_cast<std::uint32_t>(index - by_rule_));
}

std::optional<std::uint64_t> Addresses::find(const Address& address) const {
  if (address.endpoint == first_.endpoint && address.rank - first_.rank < by_rule_) return address.rank - first_.rank;
  if (places_.empty()) return std::nullopt;
  const std::uint32_t index = places_[place_of(address)];
  return index == no_id ? std::nullopt : std::optional(by_rule_ + index);
}

/// Where an address is in the table, or where it is to be.
std::size_t Addresses::place_of(const Address& address) const {
  std::size_t place = hash(address) >> (64 - std::countr_zero(places_.size()));
  while (places_[place] != no_id && kept_[places_[place]] != address) place = (place + 1) & (places_.size() - 1);
  return place;
}

/// At least a third of the table stays empty. Places of removed entries go when it is made again: until then a search
/// passes them, since what stands behind them must be found.
void Addresses::make_room() {
  if (++filled_ * 3 <= places_.size() * 2) return;
  filled_ = kept_.size() - free_.size() + 1;
  places_.assign(std::bit_ceil(filled_ * 3 / 2 + 1), no_id);
  for (std::uint32_t i = 0; i < kept_.size(); ++i) {
    if (kept_[i] != removed) places_[place_of(kept_[i])] = i;
  }
}

}  // namespace ayatori::fabric
