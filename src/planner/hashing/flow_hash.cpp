#include "ayatori/hashing/flow_hash.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <string>

#include "ayatori/base/crc32.hpp"
#include "ayatori_hash.h"

namespace ayatori {

namespace {

constexpr std::uint8_t udp = 17;
constexpr std::uint16_t roce_port = 4791;
constexpr std::string_view library_prefix = "library:";

/// Seed and five-tuple as they are hashed: 17 bytes with addresses of IPv4, 41 with those of IPv6.
class HashedBytes {
 public:
  HashedBytes(const RoceFlow& flow, std::uint32_t seed) {
    add(seed, 4);
    for (const IpAddress* address : {&flow.source, &flow.destination}) {
      for (const std::uint8_t byte : address->sent()) add(byte, 1);
    }
    add(udp, 1);
    add(flow.source_port, 2);
    add(roce_port, 2);
  }
  [[nodiscard]] const std::uint8_t* begin() const { return bytes_.data(); }
  [[nodiscard]] const std::uint8_t* end() const { return bytes_.data() + size_; }

 private:
  void add(std::uint32_t value, int count) {
    for (int shift = 8 * (count - 1); shift >= 0; shift -= 8) {
      bytes_[size_++] = static_cast<std::uint8_t>(value >> shift);
    }
  }

  std::array<std::uint8_t, 41> bytes_{};
  std::size_t size_ = 0;
};

std::uint32_t ipv4_of(const IpAddress& address) {
  if (!address.is_ipv4()) return 0;
  std::uint32_t value = 0;
  for (const std::uint8_t byte : address.sent()) value = value << 8U | byte;
  return value;
}

ayatori_flow seen_by_library(const RoceFlow& flow) {
  ayatori_flow seen = {AYATORI_HASH_VERSION,
                       ipv4_of(flow.source),
                       ipv4_of(flow.destination),
                       flow.source_port,
                       roce_port,
                       udp,
                       {},
                       {},
                       flow.source.is_ipv4() ? 0 : flow_label_of(flow.source_port)};
  std::ranges::copy(flow.source.bytes, seen.source_address);
  std::ranges::copy(flow.destination.bytes, seen.destination_address);
  return seen;
}

constexpr std::array<std::uint16_t, 256> make_crc16_table() {
  std::array<std::uint16_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte << 8U;
    for (int bit = 0; bit < 8; ++bit) value = (value & 0x8000U) != 0 ? value << 1U ^ 0x1021U : value << 1U;
    table[byte] = static_cast<std::uint16_t>(value);
  }
  return table;
}

using ChooseCable = std::uint32_t (*)(const ayatori_flow*, const char*, std::uint32_t, std::uint32_t);

Result<CableChoice> load(const std::string& file) {
  // Without a slash dlopen() would look in the folders of the system.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return with_cause(fail("the library '{}' can't be loaded", file), dlerror());
  void* const found = dlsym(library, "ayatori_choose_cable");
  if (found == nullptr) {
    return with_hint(fail("the library '{}' has no function ayatori_choose_cable", file),
                     "src/planner/include/ayatori_hash.h declares it");
  }
  const auto choose = reinterpret_cast<ChooseCable>(found);
  return [choose](const RoceFlow& flow, std::string_view name, std::uint32_t seed, std::uint32_t cables) {
    const ayatori_flow seen = seen_by_library(flow);
    return choose(&seen, std::string(name).c_str(), seed, cables) % cables;
  };
}

}  // namespace

std::uint32_t xor_hash(const RoceFlow& flow, std::uint32_t seed) {
  std::uint32_t value = udp ^ roce_port ^ flow.source_port ^ seed >> 16U ^ (seed & 0xFFFFU);
  for (const IpAddress* address : {&flow.source, &flow.destination}) {
    const auto bytes = address->sent();
    for (std::size_t i = 0; i < bytes.size(); i += 2) value ^= std::uint32_t{bytes[i]} << 8U | bytes[i + 1];
  }
  return value;
}

std::uint32_t crc16_hash(const RoceFlow& flow, std::uint32_t seed) {
  static constexpr auto table = make_crc16_table();
  std::uint32_t value = 0xFFFF;
  for (const std::uint8_t byte : HashedBytes(flow, seed)) {
    value = (value << 8U ^ table[(value >> 8U ^ byte) & 0xFFU]) & 0xFFFFU;
  }
  return value;
}

std::uint32_t crc32_hash(const RoceFlow& flow, std::uint32_t seed) {
  Crc32 checksum;
  for (const std::uint8_t byte : HashedBytes(flow, seed)) checksum.add(byte);
  return checksum.value();
}

Result<CableChoice> cable_choice_of(std::string_view hash) {
  const auto modulo = [](auto* function) -> CableChoice {
    return [function](const RoceFlow& flow, std::string_view, std::uint32_t seed, std::uint32_t cables) {
      return function(flow, seed) % cables;
    };
  };
  if (hash == "xor") return modulo(xor_hash);
  if (hash == "crc16") return modulo(crc16_hash);
  if (hash == "crc32") return modulo(crc32_hash);
  if (hash.starts_with(library_prefix)) return load(std::string(hash.substr(library_prefix.size())));
  return with_hint(fail("no hash '{}'", hash), "xor, crc16, crc32, library:FILE.so");
}

std::uint16_t source_port_of(std::uint32_t flow_label) {
  return static_cast<std::uint16_t>(first_source_port | ((flow_label & 0x3FFFU) ^ (flow_label >> 14U & 0x3FU)));
}

std::uint32_t flow_label_of(std::uint16_t source_port) {
  const std::uint32_t low = source_port & 0x3FFFU;
  return low != 0 ? low : 1U << 14U | 1U;
}

}  // namespace ayatori
