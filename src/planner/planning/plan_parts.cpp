#include "plan_parts.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "ayatori/network/router_graph.hpp"

namespace ayatori {

std::vector<std::vector<Rank>> ranks_by_part(const Network& network, std::span<const PortId> endpoints) {
  const std::vector<std::uint32_t> part_of = RouterGraph(network).part_numbers();
  std::vector<std::vector<Rank>> parts;
  std::vector<std::uint32_t> place(part_of.size(), no_id);
  for (Rank rank = 0; rank < endpoints.size(); ++rank) {
    const Port& port = network.port(endpoints[rank]);
    const DeviceId router = port.connected() ? network.port(port.peer).device : no_id;
    if (router >= part_of.size()) return {};
    std::uint32_t& number = place[part_of[router]];
    if (number == no_id) {
      number = static_cast<std::uint32_t>(parts.size());
      parts.emplace_back();
    }
    parts[number].push_back(rank);
  }
  return parts;
}

void StepsOfPart::step(std::size_t index, std::vector<Message>& messages) const {
  all_.step(index, messages);
  std::erase_if(messages,
                [&](const Message& message) { return number_[message.from] == no_id || number_[message.to] == no_id; });
  for (Message& message : messages) message = {number_[message.from], number_[message.to], message.bytes};
}

PartOfJob::PartOfJob(std::span<const PortId> endpoints, std::vector<Rank> ranks)
    : ranks_(std::move(ranks)), number_(endpoints.size(), no_id) {
  for (const Rank rank : ranks_) {
    number_[rank] = static_cast<Rank>(endpoints_.size());
    endpoints_.push_back(endpoints[rank]);
  }
}

Plan PartOfJob::pairs_of(const Plan& whole) const {
  std::vector<std::uint8_t> bits;
  for (const Rank from : ranks_) {
    for (const Rank to : ranks_) bits.push_back(whole.path_bits(from, to));
  }
  return Plan::per_pair(static_cast<Rank>(ranks_.size()), std::move(bits));
}

void PartOfJob::place(const Plan& part, std::vector<std::uint8_t>& bits) const {
  for (Rank to = 0; to < ranks_.size(); ++to) {
    if (!part.is_per_pair()) {
      bits[ranks_[to]] = part.path_bits(0, to);
      continue;
    }
    for (Rank from = 0; from < ranks_.size(); ++from) {
      bits[std::size_t{ranks_[from]} * number_.size() + ranks_[to]] = part.path_bits(from, to);
    }
  }
}

void StepsOfEndpoints::step(std::size_t index, std::vector<Message>& messages) const {
  all_.step(index, messages);
  for (Message& message : messages) message = {number_[message.from], number_[message.to], message.bytes};
  std::erase_if(messages, [](const Message& message) { return message.from == message.to; });
  const auto pair = [](const Message& message) { return std::tuple(message.from, message.to); };
  std::ranges::sort(messages, {}, pair);
  const auto again = std::ranges::unique(messages, {}, pair);
  messages.erase(again.begin(), again.end());
}

EndpointsOfJob::EndpointsOfJob(std::span<const PortId> endpoints) {
  std::unordered_map<PortId, Rank> number_of;
  for (const PortId endpoint : endpoints) {
    const auto [found, is_new] = number_of.try_emplace(endpoint, static_cast<Rank>(endpoints_.size()));
    if (is_new) endpoints_.push_back(endpoint);
    number_.push_back(found->second);
  }
}

Plan EndpointsOfJob::for_ranks(const Plan& plan) const {
  std::vector<std::uint8_t> bits;
  bits.reserve(number_.size() * number_.size());
  for (const Rank from : number_) {
    for (const Rank to : number_) bits.push_back(plan.path_bits(from, to));
  }
  return Plan::per_pair(static_cast<Rank>(number_.size()), std::move(bits));
}

}  // namespace ayatori
