#pragma once
/// \file
/// What the readers of all artefacts share.

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "ayatori/artefacts/job_host.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/json_document/json_document.hpp"

namespace ayatori {

/// JSON numbers up to here are the same in every reader, and fit a signed 64-bit integer.
inline constexpr std::uint64_t max_count = std::numeric_limits<std::int64_t>::max();

/// What a reader expects at the head of a document.
struct ArtefactHead {
  std::string_view format;   ///< "ayatori-plan"
  std::string_view name;     ///< "a plan"; for messages
  std::string_view made_by;  ///< "`ayatori plan --out FILE` writes one"; a hint
};

/// Of all formats of this release.
inline constexpr std::uint64_t artefact_version = 1;

/// Checks "format" and "version". Error: another format or version.
[[nodiscard]] Result<> read_head(const JsonValue& document, const ArtefactHead& head);

/// Members that must be there. Errors name their place and what was expected.
[[nodiscard]] Result<std::uint64_t> count_at(const JsonValue& object, std::string_view key, std::uint64_t min,
                                             std::uint64_t max);
[[nodiscard]] Result<double> amount_at(const JsonValue& object, std::string_view key);
[[nodiscard]] Result<std::string> filled_text_at(const JsonValue& object, std::string_view key);
[[nodiscard]] Result<std::vector<JsonValue>> list_at(const JsonValue& object, std::string_view key);
[[nodiscard]] Result<std::vector<JsonValue>> filled_list_at(const JsonValue& object, std::string_view key);

/// The member "machines": hosts in rank order, of at most 2^24 ranks together.
[[nodiscard]] Result<std::vector<JobHost>> read_machines(const JsonValue& document);

}  // namespace ayatori
