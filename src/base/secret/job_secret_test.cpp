#include "ayatori/secret/job_secret.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace ayatori {
namespace {

struct SecretFile : testing::Test {
  std::filesystem::path folder = [] {
    std::string name = std::filesystem::temp_directory_path() / "ayatori-XXXXXX";
    return std::filesystem::path(mkdtemp(name.data()));
  }();
  std::filesystem::path file = folder / "secret";

  ~SecretFile() override { std::filesystem::remove_all(folder); }

  void write(const std::string& text, mode_t mode) const {
    std::ofstream(file) << text;
    chmod(file.c_str(), mode);
  }
};

TEST(JobSecret, TextGivesTheSecretBack) {
  const auto made = random_secret();
  ASSERT_TRUE(made);
  EXPECT_EQ(text_of(*made).size(), 32U);
  EXPECT_EQ(*parse_secret(text_of(*made)), *made);
  EXPECT_NE(*random_secret(), *made);
}

TEST(JobSecret, RefusesOtherTextsWithoutRepeatingThem) {
  for (const char* text : {"", "1234", "0123456789abcdef0123456789abcdeg", "0123456789abcdef0123456789abcdef0"}) {
    const auto parsed = parse_secret(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().message, "a job's secret must have 32 hexadecimal digits");
  }
}

TEST_F(SecretFile, IsReadIfItIsThisUsersAlone) {
  const JobSecret secret = *random_secret();
  for (const mode_t mode : {0600, 0400}) {
    std::filesystem::remove(file);
    write(text_of(secret) + "\nwhat follows is not read", mode);
    EXPECT_EQ(*read_secret(file), secret);
  }
}

TEST_F(SecretFile, IsRefusedIfOthersMayReadOrWriteIt) {
  for (const mode_t mode : {0640, 0604, 0620, 0602, 0666}) {
    std::filesystem::remove(file);
    write(text_of(*random_secret()), mode);
    const auto read = read_secret(file);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().message, file.native() + " has the job's secret, and is not this user's alone");
  }
  EXPECT_FALSE(read_secret(folder)) << "no file";
  EXPECT_FALSE(read_secret(folder / "none"));
}

TEST(DerivedKey, IsAnotherOneForEachPurposeSecretAndMessage) {
  const JobSecret one = *random_secret();
  const JobSecret other = next_secret(one);
  EXPECT_NE(one, other);
  EXPECT_EQ(other, next_secret(one));
  EXPECT_NE(derived_key(one, "a"), derived_key(one, "b"));
  EXPECT_NE(derived_key(one, "a"), derived_key(other, "a"));
  EXPECT_EQ(public_number(one), public_number(one));
  EXPECT_NE(public_number(one), public_number(other));
  const DerivedKey key = derived_key(one, "a");
  EXPECT_FALSE(equal_in_constant_time(proof_of(key, {}), proof_of(key, one.bytes)));
  EXPECT_TRUE(equal_in_constant_time(proof_of(key, one.bytes), proof_of(key, one.bytes)));
  EXPECT_FALSE(equal_in_constant_time(key, std::span(key).first(31)));
}

/// RFC 4231, test case 2, whose key has 4 bytes: ours have 16, so the zeros that HMAC appends anyway.
TEST(DerivedKey, IsHmacSha256) {
  JobSecret secret;
  for (std::size_t i = 0; i < 4; ++i) secret.bytes[i] = static_cast<std::byte>("Jefe"[i]);
  const DerivedKey key = derived_key(secret, "what do ya want for nothing?");
  EXPECT_EQ(std::to_integer<int>(key[0]), 0x5b);
  EXPECT_EQ(std::to_integer<int>(key[1]), 0xdc);
  EXPECT_EQ(std::to_integer<int>(key[31]), 0x43);
}

}  // namespace
}  // namespace ayatori
