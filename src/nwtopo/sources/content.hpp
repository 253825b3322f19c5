#pragma once
/// \file
/// The kind of a file or folder, detected from its content.

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace ayatori {

/// The kinds of source whose files look like this one: none if the content is unknown, several if it is ambiguous.
/// Reads the beginning of a regular file, and of a folder a file in it.
[[nodiscard]] std::vector<std::string_view> kinds_of_content(const std::filesystem::path& path);

/// The same for the text of a file, or its beginning.
[[nodiscard]] std::vector<std::string_view> kinds_of_text(std::string_view text);

/// Content that is no network, or says too little of one.
struct OtherContent {
  std::string_view what;    ///< "a list of switches without cables"
  std::string_view remedy;  ///< what to run or to do instead
};

/// What people take for a network's file now and then; nothing of other text.
[[nodiscard]] std::optional<OtherContent> other_content(std::string_view text);

}  // namespace ayatori
