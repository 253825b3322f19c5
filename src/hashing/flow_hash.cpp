#include "ayatori/hashing/flow_hash.hpp"

#include <dlfcn.h>

#include <array>
#include <string>

#include "ayatori_hash.h"

namespace ayatori {

namespace {

constexpr std::uint8_t udp = 17;
constexpr std::uint16_t roce_port = 4791;
constexpr std::string_view library_prefix = "library:";

/// Seed and five-tuple as they are hashed.
using Bytes17 = std::array<std::uint8_t, 17>;

Bytes17 bytes_of(const RoceFlow& flow, std::uint32_t seed) {
  Bytes17 bytes;
  std::size_t at = 0;
  const auto add = [&](std::uint32_t value, int count) {
    for (int shift = 8 * (count - 1); shift >= 0; shift -= 8) bytes[at++] = static_cast<std::uint8_t>(value >> shift);
  };
  add(seed, 4);
  add(flow.source, 4);
  add(flow.destination, 4);
  add(udp, 1);
  add(flow.source_port, 2);
  add(roce_port, 2);
  return bytes;
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

constexpr std::array<std::uint32_t, 256> make_crc32_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1U) != 0 ? value >> 1U ^ 0xEDB88320U : value >> 1U;
    table[byte] = value;
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
                     "include/ayatori_hash.h declares it");
  }
  const auto choose = reinterpret_cast<ChooseCable>(found);
  return [choose](const RoceFlow& flow, std::string_view name, std::uint32_t seed, std::uint32_t cables) {
    const ayatori_flow seen = {AYATORI_HASH_VERSION, flow.source, flow.destination, flow.source_port, roce_port, udp};
    return choose(&seen, std::string(name).c_str(), seed, cables) % cables;
  };
}

}  // namespace

std::uint32_t xor_hash(const RoceFlow& flow, std::uint32_t seed) {
  std::uint32_t value = udp ^ roce_port ^ flow.source_port;
  for (const std::uint32_t word : {seed, flow.source, flow.destination}) value ^= word >> 16U ^ (word & 0xFFFFU);
  return value;
}

std::uint32_t crc16_hash(const RoceFlow& flow, std::uint32_t seed) {
  static constexpr auto table = make_crc16_table();
  std::uint32_t value = 0xFFFF;
  for (const std::uint8_t byte : bytes_of(flow, seed)) {
    value = (value << 8U ^ table[(value >> 8U ^ byte) & 0xFFU]) & 0xFFFFU;
  }
  return value;
}

std::uint32_t crc32_hash(const RoceFlow& flow, std::uint32_t seed) {
  static constexpr auto table = make_crc32_table();
  std::uint32_t value = 0xFFFFFFFF;
  for (const std::uint8_t byte : bytes_of(flow, seed)) value = value >> 8U ^ table[(value ^ byte) & 0xFFU];
  return ~value;
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
