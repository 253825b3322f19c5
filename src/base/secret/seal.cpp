#include "ayatori/secret/seal.hpp"

#include <nettle/umac.h>

#include <algorithm>

#include "digest.hpp"

namespace ayatori {

namespace {

constexpr std::size_t nonce_bytes = 12;
constexpr std::size_t tag_bytes = 8;
static_assert(nonce_bytes + tag_bytes == seal_bytes && tag_bytes == UMAC64_DIGEST_SIZE);

std::uint8_t* octets(std::byte* bytes) { return reinterpret_cast<std::uint8_t*>(bytes); }
const std::uint8_t* octets(const std::byte* bytes) { return reinterpret_cast<const std::uint8_t*>(bytes); }

template <typename Number>
void write(Number number, std::byte* to) {
  for (std::size_t i = 0; i < sizeof number; ++i) to[i] = static_cast<std::byte>(number >> (8 * i) & 0xFF);
}

template <typename Number>
Number read(const std::byte* from) {
  Number number = 0;
  for (std::size_t i = sizeof number; i-- > 0;)
    number = static_cast<Number>(number << 8) | std::to_integer<Number>(from[i]);
  return number;
}

}  // namespace

struct Seal::State {
  umac64_ctx context;
  Rank self;
  std::uint64_t next;

  /// `nonce`: 12 bytes.
  std::array<std::byte, tag_bytes> tag(const std::byte* nonce, std::span<const std::byte> contents,
                                       std::span<const std::byte> more) {
    umac64_set_nonce(&context, nonce_bytes, octets(nonce));
    umac64_update(&context, contents.size(), octets(contents.data()));
    if (!more.empty()) umac64_update(&context, more.size(), octets(more.data()));
    std::array<std::byte, tag_bytes> made;
    digest(umac64_digest, context, made);
    return made;
  }
};

std::optional<Rank> claimed_sender(std::span<const std::byte> datagram) {
  if (datagram.size() <= seal_bytes) return std::nullopt;
  return read<Rank>(datagram.data() + sizeof(std::uint64_t));
}

Seal::Seal(const DerivedKey& key, Rank self, std::uint64_t first_number)
    : state_(std::make_unique<State>(State{{}, self, first_number})) {
  static_assert(UMAC_KEY_SIZE <= sizeof(DerivedKey));
  umac64_set_key(&state_->context, octets(key.data()));
}

Seal::Seal(Seal&&) noexcept = default;
Seal& Seal::operator=(Seal&&) noexcept = default;
Seal::~Seal() = default;

SealHeader Seal::close(std::span<const std::byte> contents, std::span<const std::byte> more) {
  SealHeader header;
  write(state_->next++, header.data());
  write(state_->self, header.data() + sizeof(std::uint64_t));
  std::ranges::copy(state_->tag(header.data(), contents, more), header.begin() + nonce_bytes);
  return header;
}

std::optional<Unsealed> Seal::open(std::span<const std::byte> datagram) {
  const auto from = claimed_sender(datagram);
  if (!from) return std::nullopt;
  const auto contents = datagram.subspan(seal_bytes);
  const auto expected = state_->tag(datagram.data(), contents, {});
  if (!equal_in_constant_time(expected, datagram.subspan(nonce_bytes, tag_bytes))) return std::nullopt;
  return Unsealed{read<std::uint64_t>(datagram.data()), *from, contents};
}

}  // namespace ayatori
