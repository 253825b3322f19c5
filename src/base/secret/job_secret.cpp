#include "ayatori/secret/job_secret.hpp"

#include <fcntl.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ayatori/base/descriptor.hpp"
#include "digest.hpp"

namespace ayatori {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::size_t text_size = 2 * sizeof(JobSecret::bytes);

const std::uint8_t* plain(const std::byte* bytes) { return reinterpret_cast<const std::uint8_t*>(bytes); }

DerivedKey hmac(std::span<const std::byte> key, std::span<const std::byte> message) {
  hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, key.size(), plain(key.data()));
  hmac_sha256_update(&context, message.size(), plain(message.data()));
  DerivedKey made;
  static_assert(sizeof made == SHA256_DIGEST_SIZE);
  digest(hmac_sha256_digest, context, made);
  return made;
}

}  // namespace

Result<JobSecret> random_secret() {
  JobSecret made;
  const ssize_t got = getrandom(made.bytes.data(), made.bytes.size(), 0);
  if (got == static_cast<ssize_t>(made.bytes.size())) return made;
  return refused("the kernel gives no random numbers", errno);
}

std::string text_of(const JobSecret& secret) {
  std::string text;
  for (const std::byte byte : secret.bytes) {
    const auto value = std::to_integer<std::size_t>(byte);
    text.append({hex_digits[value >> 4], hex_digits[value & 15]});
  }
  return text;
}

Result<JobSecret> parse_secret(std::string_view text) {
  JobSecret parsed;
  const bool good = text.size() == text_size && text.find_first_not_of(hex_digits) == std::string_view::npos;
  if (!good) return fail("a job's secret must have {} hexadecimal digits", text_size);
  for (std::size_t i = 0; i < parsed.bytes.size(); ++i) {
    parsed.bytes[i] = static_cast<std::byte>(hex_digits.find(text[2 * i]) << 4 | hex_digits.find(text[2 * i + 1]));
  }
  return parsed;
}

Result<JobSecret> read_secret(const std::filesystem::path& file) {
  const Descriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat found{};
  if (!opened.is_open() || fstat(opened.number(), &found) != 0) {
    return with_code(fail("{} can't be opened: {}", file.native(), std::strerror(errno)), errno);
  }
  if (!S_ISREG(found.st_mode) || found.st_uid != geteuid() || (found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return with_hint(with_code(fail("{} has the job's secret, and is not this user's alone", file.native()), EACCES),
                     "chmod 600 " + file.native());
  }
  std::array<char, text_size> text{};
  const ssize_t got = pread(opened.number(), text.data(), text.size(), 0);
  auto parsed = parse_secret({text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))});
  if (!parsed) return fail("{}: {}", file.native(), parsed.error().message);
  return parsed;
}

DerivedKey derived_key(const JobSecret& secret, std::string_view purpose) {
  return hmac(secret.bytes, std::as_bytes(std::span(purpose)));
}

std::uint64_t public_number(const JobSecret& secret) {
  const DerivedKey key = derived_key(secret, "number of the job");
  std::uint64_t number = 0;
  std::memcpy(&number, key.data(), sizeof number);
  return number;
}

JobSecret next_secret(const JobSecret& secret) {
  const DerivedKey key = derived_key(secret, "next incarnation");
  JobSecret next;
  std::copy_n(key.begin(), next.bytes.size(), next.bytes.begin());
  return next;
}

DerivedKey proof_of(const DerivedKey& key, std::span<const std::byte> message) { return hmac(key, message); }

bool equal_in_constant_time(std::span<const std::byte> one, std::span<const std::byte> other) {
  return one.size() == other.size() && nettle_memeql_sec(one.data(), other.data(), one.size()) != 0;
}

}  // namespace ayatori
