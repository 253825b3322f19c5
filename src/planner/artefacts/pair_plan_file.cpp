#include "ayatori/artefacts/pair_plan_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "ayatori/base/crc32.hpp"

namespace ayatori {

namespace {

constexpr std::string_view magic = "AYAPLAN1";
constexpr std::size_t header_size = magic.size() + 4 + 1;
constexpr std::size_t checksum_size = 4;

void add_bytes(std::string_view bytes, Crc32& checksum) {
  for (const char c : bytes) checksum.add(static_cast<std::uint8_t>(c));
}

std::string little_endian(std::uint32_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFFU);
  return bytes;
}

std::uint32_t from_little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value |= std::uint32_t{static_cast<std::uint8_t>(bytes[i])} << (8 * i);
  return value;
}

/// Packs entries and hands them to the sink in pieces.
class Packer {
 public:
  Packer(int bits, const Sink& sink, Crc32& checksum) : bits_(bits), sink_(sink), checksum_(checksum) {}

  void add(std::uint8_t entry) {
    pending_ |= std::uint32_t{entry} << filled_;
    filled_ += bits_;
    if (filled_ >= 8) put_byte();
  }
  void finish() {
    if (filled_ > 0) put_byte();
    flush();
  }

 private:
  static constexpr std::size_t piece = 1U << 16;

  void put_byte() {
    buffer_ += static_cast<char>(pending_ & 0xFFU);
    pending_ >>= 8;
    filled_ -= 8;
    if (buffer_.size() == piece) flush();
  }
  void flush() {
    add_bytes(buffer_, checksum_);
    sink_(buffer_);
    buffer_.clear();
  }

  int bits_;
  const Sink& sink_;
  Crc32& checksum_;
  std::uint32_t pending_ = 0;
  int filled_ = 0;
  std::string buffer_;
};

std::vector<std::uint8_t> unpack(std::string_view packed, std::size_t count, unsigned bits) {
  std::vector<std::uint8_t> entries(count);
  const unsigned mask = (1U << bits) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * bits;
    unsigned window = static_cast<std::uint8_t>(packed[first / 8]);
    // An entry may reach into the next byte, but not beyond the last.
    if (first % 8 + bits > 8) window |= static_cast<unsigned>(static_cast<std::uint8_t>(packed[first / 8 + 1])) << 8;
    entries[i] = static_cast<std::uint8_t>(window >> (first % 8) & mask);
  }
  return entries;
}

/// ⌈n² · bits / 8⌉; n < 2^32 and bits <= 7 can't overflow once n² is divided first.
std::uint64_t packed_size(std::uint64_t ranks, unsigned bits) {
  const std::uint64_t entries = ranks * ranks;
  return entries / 8 * bits + (entries % 8 * bits + 7) / 8;
}

}  // namespace

std::uint32_t write_pair_plan(const Plan& plan, const Sink& sink) {
  const auto entries = plan.all_path_bits();
  const std::uint8_t largest = entries.empty() ? std::uint8_t{0} : *std::max_element(entries.begin(), entries.end());
  const int bits = std::max(1, static_cast<int>(std::bit_width(largest)));

  Crc32 checksum;
  const std::string header = std::string(magic) + little_endian(plan.rank_count()) + static_cast<char>(bits);
  add_bytes(header, checksum);
  sink(header);
  Packer packer(bits, sink, checksum);
  for (Rank from = 0; from < plan.rank_count(); ++from) {
    for (Rank to = 0; to < plan.rank_count(); ++to) packer.add(plan.path_bits(from, to));
  }
  packer.finish();
  sink(little_endian(checksum.value()));
  return checksum.value();
}

std::uint32_t checksum_of_pair_plan(std::string_view contents) {
  return from_little_endian(contents.substr(contents.size() - checksum_size));
}

Result<Plan> parse_pair_plan(std::string_view contents, std::string_view file) {
  if (!contents.starts_with(magic)) return fail_at(file, 0, "no plan file: it does not start with AYAPLAN1");
  if (contents.size() < header_size + checksum_size) return fail_at(file, 0, "truncated: its header is incomplete");
  const std::uint32_t ranks = from_little_endian(contents.substr(magic.size(), 4));
  const auto bits = static_cast<std::uint8_t>(contents[header_size - 1]);
  if (bits < 1 || bits > max_lmc) {
    return fail_at(file, 0, fmt::format("damaged: {} bits an entry, expected 1 to {}", bits, max_lmc));
  }
  const std::uint64_t expected = header_size + packed_size(ranks, bits) + checksum_size;
  if (contents.size() != expected) {
    return fail_at(
        file, 0,
        fmt::format("{}: {} bytes, but a plan of {} ranks with {} bits an entry takes {}",
                    contents.size() < expected ? "truncated" : "damaged", contents.size(), ranks, bits, expected));
  }
  Crc32 checksum;
  add_bytes(contents.substr(0, contents.size() - checksum_size), checksum);
  if (checksum.value() != checksum_of_pair_plan(contents)) {
    return fail_at(file, 0, "damaged: its checksum does not match");
  }
  return Plan::per_pair(ranks, unpack(contents.substr(header_size), std::size_t{ranks} * ranks, bits));
}

}  // namespace ayatori
