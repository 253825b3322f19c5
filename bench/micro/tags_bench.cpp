// What a tag of one datagram costs with primitives of libraries that Debian ships: both ends compute it. Prints a
// table, and by how much each takes longer than the one that is used (ayatori/secret/seal.hpp), the first.
//
// What is compared: Carter-Wegman authenticators, which need a nonce (UMAC, GMAC, Poly1305), and keyed hashes, which
// need none (SipHash, BLAKE2b, HMAC). XXH3 with a secret is no MAC: its authors do not claim that nobody finds other
// contents with the same value. It is here as a bound.

#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <nettle/poly1305.h>
#include <nettle/umac.h>
#include <sodium.h>
#define XXH_INLINE_ALL
#include <fmt/core.h>
#include <xxhash.h>

#ifdef AYATORI_OPENSSL
#include <openssl/evp.h>
#endif

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {

using Bytes = std::vector<std::uint8_t>;

struct Primitive {
  std::string name;
  std::function<void(const Bytes&)> tag;
};

constexpr std::array sizes = {64UL, 140UL, 1'430UL, 8'192UL, 65'400UL};
constexpr int repeats = 9;

std::array<std::uint8_t, 192> secret{};
std::array<std::uint8_t, 16> nonce{};
std::array<std::uint8_t, 64> tag{};

void next_nonce() {
  std::uint64_t number = 0;
  std::memcpy(&number, nonce.data(), sizeof number);
  ++number;
  std::memcpy(nonce.data(), &number, sizeof number);
}

std::vector<Primitive> of_nettle() {
  static umac64_ctx umac64;
  static umac128_ctx umac128;
  static gcm_aes128_ctx gmac;
  static poly1305_aes_ctx poly;
  static hmac_sha256_ctx hmac;
  umac64_set_key(&umac64, secret.data());
  umac128_set_key(&umac128, secret.data());
  gcm_aes128_set_key(&gmac, secret.data());
  poly1305_aes_set_key(&poly, secret.data());
  hmac_sha256_set_key(&hmac, 32, secret.data());
  const auto of_umac64 = [](const Bytes& bytes) {
    next_nonce();
    umac64_set_nonce(&umac64, 12, nonce.data());
    umac64_update(&umac64, bytes.size(), bytes.data());
    umac64_digest(&umac64, 8, tag.data());
  };
  const auto of_umac128 = [](const Bytes& bytes) {
    next_nonce();
    umac128_set_nonce(&umac128, 12, nonce.data());
    umac128_update(&umac128, bytes.size(), bytes.data());
    umac128_digest(&umac128, 16, tag.data());
  };
  const auto of_gmac = [](const Bytes& bytes) {
    next_nonce();
    gcm_aes128_set_iv(&gmac, 12, nonce.data());
    gcm_aes128_update(&gmac, bytes.size(), bytes.data());
    gcm_aes128_digest(&gmac, 16, tag.data());
  };
  const auto of_poly = [](const Bytes& bytes) {
    next_nonce();
    poly1305_aes_set_nonce(&poly, nonce.data());
    poly1305_aes_update(&poly, bytes.size(), bytes.data());
    poly1305_aes_digest(&poly, 16, tag.data());
  };
  const auto of_hmac = [](const Bytes& bytes) {
    hmac_sha256_update(&hmac, bytes.size(), bytes.data());
    hmac_sha256_digest(&hmac, 32, tag.data());
  };
  return {{"nettle UMAC-64", of_umac64},
          {"nettle UMAC-128", of_umac128},
          {"nettle GMAC-AES-128", of_gmac},
          {"nettle Poly1305-AES", of_poly},
          {"nettle HMAC-SHA-256", of_hmac}};
}

std::vector<Primitive> of_sodium() {
  if (sodium_init() < 0) return {};
  const auto of_siphash = [](const Bytes& bytes) {
    crypto_shorthash_siphashx24(tag.data(), bytes.data(), bytes.size(), secret.data());
  };
  const auto of_blake2b = [](const Bytes& bytes) {
    crypto_generichash(tag.data(), 16, bytes.data(), bytes.size(), secret.data(), 32);
  };
  const auto of_poly = [](const Bytes& bytes) {
    next_nonce();
    std::array<std::uint8_t, 32> once{};
    crypto_stream_chacha20(once.data(), once.size(), nonce.data(), secret.data());
    crypto_onetimeauth(tag.data(), bytes.data(), bytes.size(), once.data());
  };
  return {{"libsodium SipHash-2-4-128", of_siphash},
          {"libsodium BLAKE2b-128", of_blake2b},
          {"libsodium Poly1305, key by ChaCha20", of_poly}};
}

#ifdef AYATORI_OPENSSL
std::vector<Primitive> of_openssl() {
  static EVP_CIPHER_CTX* const gmac = EVP_CIPHER_CTX_new();
  EVP_EncryptInit_ex(gmac, EVP_aes_128_gcm(), nullptr, secret.data(), nonce.data());
  const auto of_gmac = [](const Bytes& bytes) {
    next_nonce();
    int length = 0;
    EVP_EncryptInit_ex(gmac, nullptr, nullptr, nullptr, nonce.data());
    EVP_EncryptUpdate(gmac, nullptr, &length, bytes.data(), static_cast<int>(bytes.size()));
    EVP_EncryptFinal_ex(gmac, tag.data(), &length);
    EVP_CIPHER_CTX_ctrl(gmac, EVP_CTRL_AEAD_GET_TAG, 16, tag.data());
  };
  return {{"OpenSSL GMAC-AES-128", of_gmac}};
}
#else
std::vector<Primitive> of_openssl() { return {}; }
#endif

std::vector<Primitive> all_primitives() {
  std::vector<Primitive> all = of_nettle();
  for (Primitive& one : of_sodium()) all.push_back(std::move(one));
  for (Primitive& one : of_openssl()) all.push_back(std::move(one));
  all.push_back({"XXH3-128 with a secret: no MAC", [](const Bytes& bytes) {
                   const auto hash = XXH3_128bits_withSecret(bytes.data(), bytes.size(), secret.data(), secret.size());
                   std::memcpy(tag.data(), &hash, sizeof hash);
                 }});
  return all;
}

/// Nanoseconds for one tag.
double took(const Primitive& primitive, const Bytes& bytes) {
  const auto count = static_cast<int>(std::max<std::size_t>(200, 2'000'000 / (bytes.size() + 300)));
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) primitive.tag(bytes);
  const std::chrono::duration<double, std::nano> all = std::chrono::steady_clock::now() - begin;
  return all.count() / count;
}

}  // namespace

int main() {
  for (std::size_t i = 0; i < secret.size(); ++i) secret[i] = static_cast<std::uint8_t>(i * 37 + 11);
  const std::vector<Primitive> all = all_primitives();
  std::vector<std::array<double, sizes.size()>> least(all.size());
  for (auto& one : least) one.fill(1e18);
  for (int run = 0; run < repeats; ++run) {  // alternately
    for (std::size_t size = 0; size < sizes.size(); ++size) {
      const Bytes bytes(sizes[size], 7);
      for (std::size_t i = 0; i < all.size(); ++i) least[i][size] = std::min(least[i][size], took(all[i], bytes));
    }
  }
  fmt::print("{:<38}", "ns for a tag (times UMAC-64)");
  for (const std::size_t size : sizes) fmt::print("{:>14} B", size);
  fmt::print("\n");
  for (std::size_t i = 0; i < all.size(); ++i) {
    fmt::print("{:<38}", all[i].name);
    for (std::size_t size = 0; size < sizes.size(); ++size) {
      fmt::print("{:>9.0f} ({:>4.2f})", least[i][size], least[i][size] / least[0][size]);
    }
    fmt::print("\n");
  }
}
