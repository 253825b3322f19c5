#pragma once
/// \file
/// Costs as JSON, as calibrations and choice tables have them.

#include <nlohmann/json.hpp>

#include "artefact_reader.hpp"
#include "ayatori/artefacts/message_costs.hpp"

namespace ayatori {

[[nodiscard]] nlohmann::ordered_json size_cost_as_json(const SizeCost& cost);
[[nodiscard]] nlohmann::ordered_json message_costs_as_json(const MessageCosts& costs);

/// Members that must be there. Errors name their place: a number below 0, sizes that don't rise, a missing member.
[[nodiscard]] Result<SizeCost> size_cost_at(const JsonValue& object, std::string_view key);

/// The same of a member that may be missing: none.
[[nodiscard]] Result<SizeCost> size_cost_if_any(const JsonValue& object, std::string_view name);

[[nodiscard]] Result<MessageCosts> read_message_costs(const JsonValue& value);

}  // namespace ayatori
