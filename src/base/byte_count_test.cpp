#include "ayatori/base/byte_count.hpp"

#include <gtest/gtest.h>

namespace ayatori {
namespace {

TEST(ParseByteCount, TakesWholeNumbersWithUnits) {
  EXPECT_EQ(parse_byte_count("0"), Bytes{0});
  EXPECT_EQ(parse_byte_count("17"), Bytes{17});
  EXPECT_EQ(parse_byte_count("16KiB"), Bytes{16384});
  EXPECT_EQ(parse_byte_count("3MB"), Bytes{3'000'000});
  EXPECT_EQ(parse_byte_count("1GiB"), Bytes{1} << 30);
}

TEST(ParseByteCount, TakesWhatTheCommandLineTakes) {
  for (const char* text : {"16K", "16k", "16kib", "16KIB", "16 KiB", " 16KiB ", "16384B", "16384b", "16.0KiB"})
    EXPECT_EQ(parse_byte_count(text), Bytes{16384}) << text;
  for (const char* text : {"2kB", "2KB", "2kb", "2.000kB"}) EXPECT_EQ(parse_byte_count(text), Bytes{2000}) << text;
  EXPECT_EQ(parse_byte_count("1.5KiB"), Bytes{1536});
  EXPECT_EQ(parse_byte_count("1M"), Bytes{1} << 20);
  EXPECT_EQ(parse_byte_count("2g"), Bytes{2} << 30);
  EXPECT_EQ(parse_byte_count("268435456GiB"), Bytes{1} << 58);
}

TEST(ParseByteCount, RefusesAllOtherTexts) {
  for (const char* text :
       {"", "KiB", "-1", "1.5", "1.0001K", "1.K", ".5K", "1.0000000000K", "16KiBs", "16KiB/s", "1K 2K", "+1",
        "99999999999999999999", "8589934592GiB", "268435456.000000001GiB", "288230376151711745"})
    EXPECT_EQ(parse_byte_count(text), std::nullopt) << text;
}

}  // namespace
}  // namespace ayatori
