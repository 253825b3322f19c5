#pragma once
/// \file
/// Costs as JSON, as calibrations and choice tables have them.

#include "artefact_record.hpp"
#include "ayatori/artefacts/message_costs.hpp"

namespace ayatori {

inline constexpr auto describe_cost_line = [](auto& fields, auto& line) {
  fields.member("from", line.from, Count{});
  fields.member("seconds", line.seconds, Amount{});
  fields.member("seconds_per_byte", line.seconds_per_byte, Amount{});
};

/// Lines of rising sizes.
struct CostLines : List<Record<decltype(describe_cost_line)>> {
  constexpr CostLines() : List{{describe_cost_line}} {}

  [[nodiscard]] Result<> read(const JsonValue& value, SizeCost& into) const {
    if (auto read = List::read(value, into); !read) return read;
    for (std::size_t i = 1; i < into.size(); ++i) {
      if (into[i].from <= into[i - 1].from) return value.item(i)->wrong("expected lines with rising sizes 'from'");
    }
    return {};
  }
};

inline constexpr auto describe_message_costs = [](auto& fields, auto& costs) {
  fields.member("latency", costs.latency, Amount{});
  fields.member("send", costs.send, CostLines{});
  fields.member("receive", costs.receive, CostLines{});
  fields.member("gap", costs.gap, Amount{});
  fields.member("eager_limit", costs.eager_limit, Count{});
  fields.member("rendezvous", costs.rendezvous, Amount{});
  fields.member("bandwidth", costs.bandwidth, Amount{});
  fields.optional_if(costs.burst > 0, "burst", costs.burst, Count{});
  fields.optional_if(costs.packet > 0, "packet", costs.packet, Count{});
  fields.optional_if(costs.header > 0, "header", costs.header, Count{});
};

}  // namespace ayatori
