#include "pieces.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

namespace ayatori::fabric {
namespace {

TEST(Pieces, AreGatheredAndScattered) {
  std::string first = "ab";
  std::string none;
  std::string last = "cde";
  const std::array<iovec, 3> parts{{{first.data(), 2}, {none.data(), 0}, {last.data(), 3}}};
  const auto sent = bytes_of(parts.data(), parts.size());
  ASSERT_TRUE(sent && sent->pieces);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(sent->bytes.data()), sent->bytes.size()), "abcde");
  std::memcpy(sent->bytes.data(), "vwxyz", 5);
  sent->pieces->scatter(4);
  EXPECT_EQ(first + last, "vwxye") << "four bytes had arrived";
}

TEST(Pieces, OneIsTheProgramsMemory) {
  std::string only = "ab";
  const std::array<iovec, 1> parts{{{only.data(), 2}}};
  const auto memory = bytes_of(parts.data(), 1);
  ASSERT_TRUE(memory);
  EXPECT_EQ(static_cast<void*>(memory->bytes.data()), only.data());
  EXPECT_FALSE(memory->pieces);
  EXPECT_TRUE(bytes_of(nullptr, 0)->bytes.empty());
  EXPECT_FALSE(bytes_of(parts.data(), max_pieces + 1));
}

}  // namespace
}  // namespace ayatori::fabric
