#pragma once
/// \file
/// For tests of artefacts: files that are written and read again, and texts with one thing wrong.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace ayatori {

/// `text` with its first `from` replaced.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// The error of reading a text as the file "f.json", or "accepted".
template <typename Parse>
std::string refusal_of(Parse parse, std::string_view text) {
  const auto artefact = parse(text, "f.json");
  return artefact ? "accepted" : artefact.error().message;
}

template <typename Artefact, typename Write, typename Read>
void expect_survives_a_file(const Artefact& artefact, Write write, Read read) {
  const auto path = std::filesystem::path(testing::TempDir()) / "ayatori-artefact-test.json";
  ASSERT_TRUE(write(artefact, path));
  const auto again = read(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, artefact);
}

}  // namespace ayatori
