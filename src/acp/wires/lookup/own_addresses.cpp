#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>

#include "ayatori/base/descriptor.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/lookup/card.hpp"

namespace ayatori::wires {

namespace {

struct Found {
  HostAddress address;
  std::string interface;
  bool is_device = false;
};

/// A word of `networks`: an interface, or a network.
struct Wanted {
  std::string interface;
  std::optional<HostAddress> network;
};

std::optional<IpAddress> ip_of(const sockaddr* address) {
  if (!address) return std::nullopt;
  if (address->sa_family == AF_INET) {
    sockaddr_in ipv4{};
    std::memcpy(&ipv4, address, sizeof ipv4);
    return IpAddress(ntohl(ipv4.sin_addr.s_addr));
  }
  if (address->sa_family != AF_INET6) return std::nullopt;
  sockaddr_in6 ipv6{};
  std::memcpy(&ipv6, address, sizeof ipv6);
  IpAddress found;
  std::memcpy(found.bytes.data(), &ipv6.sin6_addr, found.bytes.size());
  return found;
}

std::uint8_t prefix_of(const sockaddr* mask, bool ipv4) {
  const auto ip = ip_of(mask);
  if (!ip) return 128;
  int bits = ipv4 ? 96 : 0;
  for (const std::uint8_t byte : ip->sent()) bits += std::popcount(byte);
  return static_cast<std::uint8_t>(bits);
}

/// fe80::/10 belongs to one link, and means nothing without its name.
bool is_of_one_link(const IpAddress& ip) { return ip.bytes[0] == 0xFE && (ip.bytes[1] & 0xC0) == 0x80; }

Result<std::vector<Found>> all_addresses(bool with_loopback) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return refused("the addresses of this host can't be read", errno);
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owned(list, freeifaddrs);
  std::vector<Found> found;
  for (const ifaddrs* one = list; one; one = one->ifa_next) {
    const auto ip = ip_of(one->ifa_addr);
    const bool usable = (one->ifa_flags & IFF_UP) != 0 && (with_loopback || (one->ifa_flags & IFF_LOOPBACK) == 0);
    if (!ip || !usable || is_of_one_link(*ip)) continue;
    std::error_code ignored;
    const bool is_device =
        std::filesystem::exists(std::filesystem::path("/sys/class/net") / one->ifa_name / "device", ignored);
    found.push_back({{*ip, prefix_of(one->ifa_netmask, ip->is_ipv4())}, one->ifa_name, is_device});
  }
  std::vector<Found> sorted;
  std::ranges::copy_if(found, std::back_inserter(sorted), &Found::is_device);
  std::ranges::copy_if(found, std::back_inserter(sorted), std::not_fn(&Found::is_device));
  return sorted;
}

Result<Wanted> wanted(std::string_view word) {
  const std::size_t slash = word.find('/');
  const auto ip = parse_ip_address(word.substr(0, slash));
  if (!ip) return Wanted{std::string(word), std::nullopt};
  const unsigned most = ip->is_ipv4() ? 32 : 128;
  const auto bits = slash == std::string_view::npos ? most : parse_unsigned<unsigned>(word.substr(slash + 1));
  if (!bits || *bits > most) return fail("'{}' is no network, such as 10.1.0.0/16", word);
  return Wanted{{}, HostAddress{*ip, static_cast<std::uint8_t>(128 - most + *bits)}};
}

bool fits(const Found& found, const Wanted& one) {
  return one.network ? in_network_of(*one.network, found.address.ip) : found.interface == one.interface;
}

}  // namespace

Result<std::vector<HostAddress>> own_addresses(std::string_view networks) {
  const auto all = all_addresses(!networks.empty());
  if (!all) return Failure(all.error());
  std::vector<HostAddress> chosen;
  for (const std::string_view word : networks.empty() ? std::vector<std::string_view>{} : split(networks, ',')) {
    const auto one = wanted(word);
    if (!one) return Failure(one.error());
    for (const Found& found : *all) {
      const bool known = std::ranges::find(chosen, found.address) != chosen.end();
      if (!known && fits(found, *one)) chosen.push_back(found.address);
    }
  }
  for (const Found& found : networks.empty() ? *all : std::vector<Found>{}) chosen.push_back(found.address);
  if (chosen.size() > max_host_addresses) chosen.resize(max_host_addresses);
  if (!chosen.empty()) return chosen;
  return fail("this host has no address{}{}", networks.empty() ? "" : " in ", networks);
}

}  // namespace ayatori::wires
