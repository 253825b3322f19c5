#include "ayatori/lookup/card.hpp"

#include <algorithm>

namespace ayatori::wires {

namespace {

constexpr std::size_t address_bytes = 17;
constexpr std::size_t head_bytes = 5;

void append_port(std::vector<std::byte>& bytes, std::uint16_t number) {
  bytes.push_back(static_cast<std::byte>(number & 0xFF));
  bytes.push_back(static_cast<std::byte>(number >> 8));
}

std::uint16_t number_at(std::span<const std::byte> bytes, std::size_t at) {
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(bytes[at]) | std::to_integer<unsigned>(bytes[at + 1])
                                                                               << 8);
}

}  // namespace

bool in_network_of(const HostAddress& network, const IpAddress& ip) {
  for (std::size_t bit = 0; bit < network.prefix; bit += 8) {
    const auto rest = std::min<std::size_t>(8, network.prefix - bit);
    const auto mask = static_cast<std::uint8_t>(0xFF << (8 - rest));
    if (((network.ip.bytes[bit / 8] ^ ip.bytes[bit / 8]) & mask) != 0) return false;
  }
  return true;
}

bool Card::has(const IpAddress& ip) const {
  return std::ranges::find(addresses, ip, &HostAddress::ip) != addresses.end();
}

std::vector<std::byte> written(const Card& card) {
  std::vector<std::byte> bytes;
  append_port(bytes, card.lookup_port);
  append_port(bytes, card.data_port);
  bytes.push_back(static_cast<std::byte>(card.addresses.size()));
  for (const HostAddress& address : card.addresses) {
    for (const std::uint8_t byte : address.ip.bytes) bytes.push_back(static_cast<std::byte>(byte));
    bytes.push_back(static_cast<std::byte>(address.prefix));
  }
  bytes.insert(bytes.end(), card.adapter.begin(), card.adapter.end());
  return bytes;
}

std::optional<Card> read_card(std::span<const std::byte> bytes) {
  if (bytes.size() < head_bytes || bytes.size() > max_card_bytes) return std::nullopt;
  Card card;
  card.lookup_port = number_at(bytes, 0);
  card.data_port = number_at(bytes, 2);
  const auto count = std::to_integer<std::size_t>(bytes[4]);
  bytes = bytes.subspan(head_bytes);
  if (card.lookup_port == 0 || count == 0 || count > max_host_addresses) return std::nullopt;
  if (bytes.size() < count * address_bytes || bytes.size() - count * address_bytes > max_adapter_bytes)
    return std::nullopt;
  for (std::size_t i = 0; i < count; ++i, bytes = bytes.subspan(address_bytes)) {
    HostAddress& address = card.addresses.emplace_back();
    for (std::size_t at = 0; at < address.ip.bytes.size(); ++at)
      address.ip.bytes[at] = std::to_integer<std::uint8_t>(bytes[at]);
    address.prefix = std::to_integer<std::uint8_t>(bytes[address.ip.bytes.size()]);
    if (address.prefix > 128) return std::nullopt;
  }
  card.adapter.assign(bytes.begin(), bytes.end());
  return card;
}

std::optional<IpAddress> reachable(std::span<const HostAddress> own, const Card& peer) {
  const auto is_ours = [&](const HostAddress& address) {
    return std::ranges::find(own, address.ip, &HostAddress::ip) != own.end();
  };
  // All addresses are ours: the peer is on this host.
  if (std::ranges::all_of(peer.addresses, is_ours)) return peer.addresses.front().ip;
  const auto is_near = [&](const HostAddress& address) {
    return !is_ours(address) &&
           std::ranges::any_of(own, [&](const HostAddress& one) { return in_network_of(one, address.ip); });
  };
  const auto near = std::ranges::find_if(peer.addresses, is_near);
  if (near != peer.addresses.end()) return near->ip;
  return std::ranges::find_if_not(peer.addresses, is_ours)->ip;
}

HostAddress loopback() { return {IpAddress(127U << 24 | 1U), 128}; }

}  // namespace ayatori::wires
