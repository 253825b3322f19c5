#pragma once
/// \file
/// Scenarios as TOML files (https://toml.io, version 1.0). Every key is optional and has the name of its field in
/// Scenario; the file in docs/simulated-network.toml shows them all.

#include <filesystem>
#include <optional>
#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/simulated/scenario.hpp"

namespace ayatori::simulated {

/// Errors name file, line, key and what was expected; a key that no scenario has is an error.
[[nodiscard]] Result<Scenario> load_scenario(const std::filesystem::path& path);

/// The same for a text that is here already; `file` is only named in errors.
[[nodiscard]] Result<Scenario> parse_scenario(std::string_view text, std::string_view file);

/// A number and its unit, without space: "250ns", "2us", "1.5ms", "10s". Nothing if it is less than 0 or a year or
/// more.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);

}  // namespace ayatori::simulated
