#include "costs_json.hpp"

namespace ayatori {

using Json = nlohmann::ordered_json;

Json size_cost_as_json(const SizeCost& cost) {
  Json lines = Json::array();
  for (const CostLine& line : cost) {
    lines.push_back({{"from", line.from}, {"seconds", line.seconds}, {"seconds_per_byte", line.seconds_per_byte}});
  }
  return lines;
}

Json message_costs_as_json(const MessageCosts& costs) {
  Json json = {{"latency", costs.latency},
               {"send", size_cost_as_json(costs.send)},
               {"receive", size_cost_as_json(costs.receive)},
               {"gap", costs.gap},
               {"eager_limit", costs.eager_limit},
               {"rendezvous", costs.rendezvous},
               {"bandwidth", costs.bandwidth}};
  if (costs.burst > 0) json["burst"] = costs.burst;
  if (costs.packet > 0) json["packet"] = costs.packet;
  if (costs.header > 0) json["header"] = costs.header;
  return json;
}

Result<SizeCost> size_cost_at(const JsonValue& object, std::string_view key) {
  const auto member = object.at(key);
  if (!member) return Failure(member.error());
  const auto items = member->items();
  if (!items) return Failure(items.error());
  SizeCost cost;
  for (const JsonValue& item : *items) {
    const auto from = count_at(item, "from", 0, max_count);
    if (!from) return Failure(from.error());
    if (!cost.empty() && *from <= cost.back().from) return item.wrong("expected lines with rising sizes 'from'");
    const auto seconds = amount_at(item, "seconds");
    if (!seconds) return Failure(seconds.error());
    const auto per_byte = amount_at(item, "seconds_per_byte");
    if (!per_byte) return Failure(per_byte.error());
    cost.push_back({*from, *seconds, *per_byte});
  }
  return cost;
}

Result<SizeCost> size_cost_if_any(const JsonValue& object, std::string_view name) {
  return object.has(name) ? size_cost_at(object, name) : SizeCost{};
}

Result<MessageCosts> read_message_costs(const JsonValue& value) {
  MessageCosts costs;
  using Amount = std::pair<std::string_view, double MessageCosts::*>;
  for (const auto& [name, member] :
       {Amount{"latency", &MessageCosts::latency}, Amount{"gap", &MessageCosts::gap},
        Amount{"rendezvous", &MessageCosts::rendezvous}, Amount{"bandwidth", &MessageCosts::bandwidth}}) {
    const auto amount = amount_at(value, name);
    if (!amount) return Failure(amount.error());
    costs.*member = *amount;
  }
  using Cost = std::pair<std::string_view, SizeCost MessageCosts::*>;
  for (const auto& [name, member] : {Cost{"send", &MessageCosts::send}, Cost{"receive", &MessageCosts::receive}}) {
    auto cost = size_cost_at(value, name);
    if (!cost) return Failure(cost.error());
    costs.*member = std::move(*cost);
  }
  const auto eager_limit = count_at(value, "eager_limit", 0, max_count);
  if (!eager_limit) return Failure(eager_limit.error());
  costs.eager_limit = *eager_limit;
  using Count = std::pair<std::string_view, Bytes MessageCosts::*>;
  for (const auto& [name, member] : {Count{"burst", &MessageCosts::burst}, Count{"packet", &MessageCosts::packet},
                                     Count{"header", &MessageCosts::header}}) {
    if (!value.has(name)) continue;
    const auto count = count_at(value, name, 0, max_count);
    if (!count) return Failure(count.error());
    costs.*member = *count;
  }
  return costs;
}

}  // namespace ayatori
