#include "ayatori/artefacts/choice_table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/network/host_name.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "costs_json.hpp"

namespace ayatori {

namespace {

using Json = nlohmann::ordered_json;

constexpr ArtefactHead table_head = {
    .format = "ayatori-choice",
    .name = "a choice table",
    .made_by = "`ayatori choose SOURCE --job HOSTFILE --out FILE` writes one",
    .last_version = 3,
};

constexpr std::array<std::string_view, 15> model_members = {
    "steps",  "link_bandwidth", "link_latency", "head_of_line", "costs_from", "inside",     "between", "copy",
    "reduce", "again",          "start",        "cores",        "turn",       "first_turn", "crowded"};
constexpr std::array<std::string_view, 8> former_model_members = {
    "steps", "link_bandwidth", "link_latency", "overhead", "eager_limit", "injection", "bus", "head_of_line"};

// --- writing --------------------------------------------------------------------------------------------------------

Json model_as_json(const ChoiceModel& model) {
  Json json = {{"steps", model.steps},
               {"link_bandwidth", model.link_bandwidth},
               {"link_latency", model.link_latency},
               {"head_of_line", model.head_of_line},
               {"costs_from", model.costs_from},
               {"inside", message_costs_as_json(model.costs.inside)},
               {"between", message_costs_as_json(model.costs.between)},
               {"copy", size_cost_as_json(model.costs.copy)},
               {"reduce", size_cost_as_json(model.costs.reduce)},
               {"again", size_cost_as_json(model.costs.again)},
               {"start", model.costs.start},
               {"cores", model.costs.cores},
               {"turn", size_cost_as_json(model.costs.turn)}};
  if (model.costs.first_turn > 0) json["first_turn"] = model.costs.first_turn;
  if (!model.costs.crowded.empty()) json["crowded"] = size_cost_as_json(model.costs.crowded);
  return json;
}

Json choice_as_json(const CollectiveChoice& choice) {
  Json intervals = Json::array();
  for (const SizeInterval& interval : choice.intervals) {
    intervals.push_back({{"from", interval.first},
                         {"to", interval.last ? Json(*interval.last) : Json(nullptr)},
                         {"algorithm", interval.algorithm},
                         {"chunk", interval.chunk_bytes}});
  }
  return {{"sampled", choice.sampled}, {"intervals", std::move(intervals)}};
}

// --- reading --------------------------------------------------------------------------------------------------------

/// Version 1 called destination-mod-K "modk".
Result<std::string> read_method_word(const JsonValue& document, std::uint64_t version) {
  auto word = document.text_at("method");
  if (!word) return word;
  if (version == 1 && *word == "modk") return std::string(to_word(Method::destination_mod_k));
  constexpr std::string_view others[] = {"dimension-order", "adaptive", "ecmp"};
  if (parse_method(*word) || std::ranges::find(others, *word) != std::end(others)) return word;
  return document.at("method")->wrong(
      "expected destination-mod-K, rule, colour, pair, dimension-order, adaptive or ecmp");
}

Result<std::string> read_steps(const JsonValue& model) {
  auto steps = model.text_at("steps");
  if (!steps || *steps == "drift" || *steps == "synchronous") return steps;
  return model.at("steps")->wrong("expected drift or synchronous");
}

Result<> check_members(const JsonValue& model, std::span<const std::string_view> known) {
  const auto members = model.members();
  if (!members) return Failure(members.error());
  for (const auto& [name, value] : *members) {
    if (std::ranges::find(known, name) == known.end()) return value.wrong("no member of a model");
  }
  return {};
}

/// Versions 1 and 2 had one overhead and one eager limit for all messages, and neither copies nor reductions took time.
Result<CommunicationCosts> read_former_costs(const JsonValue& model) {
  CommunicationCosts costs;
  using Amount = std::pair<std::string_view, double*>;
  for (const auto& [name, to] : {Amount{"overhead", &costs.between.latency}, Amount{"bus", &costs.inside.bandwidth},
                                 Amount{"injection", &costs.between.bandwidth}}) {
    const auto amount = amount_at(model, name);
    if (!amount) return Failure(amount.error());
    *to = *amount;
  }
  const auto eager_limit = count_at(model, "eager_limit", 0, max_count);
  if (!eager_limit) return Failure(eager_limit.error());
  costs.inside.latency = costs.between.latency;
  costs.inside.eager_limit = costs.between.eager_limit = *eager_limit;
  return costs;
}

Result<CommunicationCosts> read_costs(const JsonValue& model) {
  CommunicationCosts costs;
  using Messages = std::pair<std::string_view, MessageCosts CommunicationCosts::*>;
  for (const auto& [name, member] :
       {Messages{"inside", &CommunicationCosts::inside}, Messages{"between", &CommunicationCosts::between}}) {
    const auto value = model.at(name);
    if (!value) return Failure(value.error());
    auto read = read_message_costs(*value);
    if (!read) return Failure(read.error());
    costs.*member = std::move(*read);
  }
  using Local = std::pair<std::string_view, SizeCost CommunicationCosts::*>;
  for (const auto& [name, member] :
       {Local{"copy", &CommunicationCosts::copy}, Local{"reduce", &CommunicationCosts::reduce}}) {
    auto read = size_cost_at(model, name);
    if (!read) return Failure(read.error());
    costs.*member = std::move(*read);
  }
  // Tables that were written before these were measured do not have them.
  for (const auto& [name, member] :
       {Local{"again", &CommunicationCosts::again}, Local{"crowded", &CommunicationCosts::crowded}}) {
    auto read = size_cost_if_any(model, name);
    if (!read) return Failure(read.error());
    costs.*member = std::move(*read);
  }
  using Amount = std::pair<std::string_view, double CommunicationCosts::*>;
  for (const auto& [name, member] :
       {Amount{"start", &CommunicationCosts::start}, Amount{"first_turn", &CommunicationCosts::first_turn}}) {
    if (!model.has(name)) continue;
    const auto amount = amount_at(model, name);
    if (!amount) return Failure(amount.error());
    costs.*member = *amount;
  }
  auto turn = turn_of(model);
  if (!turn) return Failure(turn.error());
  costs.turn = std::move(*turn);
  if (model.has("cores")) {
    const auto cores = count_at(model, "cores", 0, max_count);
    if (!cores) return Failure(cores.error());
    costs.cores = static_cast<std::uint32_t>(std::min<std::uint64_t>(*cores, no_id));
  }
  return costs;
}

Result<ChoiceModel> read_model(const JsonValue& model, std::uint64_t version) {
  const bool former = version < 3;
  const auto known = former ? std::span<const std::string_view>(former_model_members) : model_members;
  if (auto checked = check_members(model, known); !checked) return Failure(checked.error());
  ChoiceModel read;
  const auto steps = read_steps(model);
  if (!steps) return Failure(steps.error());
  read.steps = *steps;
  using Amount = std::pair<std::string_view, double ChoiceModel::*>;
  for (const auto& [name, member] :
       {Amount{"link_bandwidth", &ChoiceModel::link_bandwidth}, Amount{"link_latency", &ChoiceModel::link_latency}}) {
    const auto amount = amount_at(model, name);
    if (!amount) return Failure(amount.error());
    read.*member = *amount;
  }
  const auto head_of_line = model.truth_at("head_of_line");
  if (!head_of_line) return Failure(head_of_line.error());
  read.head_of_line = *head_of_line;
  auto costs = former ? read_former_costs(model) : read_costs(model);
  if (!costs) return Failure(costs.error());
  read.costs = std::move(*costs);
  if (former) return read;
  auto costs_from = filled_text_at(model, "costs_from");
  if (!costs_from) return Failure(costs_from.error());
  read.costs_from = std::move(*costs_from);
  return read;
}

/// Reads the choices for one collective.
class CollectiveReader {
 public:
  CollectiveReader(std::string name, JsonValue value, std::uint64_t version)
      : value_(std::move(value)), chunk_key_(version == 1 ? "segment" : "chunk") {
    choice_.collective = std::move(name);
  }

  Result<CollectiveChoice> read() {
    const auto collective = parse_collective(choice_.collective);
    if (!collective) return value_.wrong("no collective has this name");
    collective_ = *collective;
    if (auto read = read_sampled(); !read) return Failure(read.error());
    const auto entries = filled_list_at(value_, "intervals");
    if (!entries) return Failure(entries.error());
    for (const JsonValue& entry : *entries) {
      if (auto read = read_interval(entry); !read) return Failure(read.error());
    }
    if (choice_.intervals.back().last) {
      return entries->back().at("to")->wrong("expected null in the last interval, for all larger sizes");
    }
    return std::move(choice_);
  }

 private:
  Result<> read_sampled() {
    const auto entries = filled_list_at(value_, "sampled");
    if (!entries) return Failure(entries.error());
    for (const JsonValue& entry : *entries) {
      const auto size = entry.count();
      const bool rises = size && *size <= max_count && (choice_.sampled.empty() || *size > choice_.sampled.back());
      if (!rises) return entry.wrong("expected sizes in bytes, each larger than the one before");
      choice_.sampled.push_back(*size);
    }
    return {};
  }

  Result<> read_interval(const JsonValue& entry) {
    SizeInterval interval;
    if (!choice_.intervals.empty()) {
      const auto& before = choice_.intervals.back().last;
      if (!before) return entry.wrong("expected no interval after the one without an end");
      interval.first = *before + 1;
    }
    const auto first = count_at(entry, "from", interval.first, interval.first);
    if (!first)
      return entry.at("from") ? entry.at("from")->wrong(fmt::format("expected {}", interval.first))
                              : Failure(first.error());
    const auto last = read_last(entry, interval.first);
    if (!last) return Failure(last.error());
    interval.last = *last;
    auto algorithm = read_algorithm(entry);
    if (!algorithm) return Failure(algorithm.error());
    interval.algorithm = std::move(*algorithm);
    const auto chunk = count_at(entry, chunk_key_, 0, max_count);
    if (!chunk) return Failure(chunk.error());
    interval.chunk_bytes = *chunk;
    choice_.intervals.push_back(std::move(interval));
    return {};
  }

  /// Null counts as the end of all sizes; a member that is missing does not.
  [[nodiscard]] static Result<std::optional<Bytes>> read_last(const JsonValue& entry, Bytes first) {
    if (!entry.has("to")) return entry.wrong("expected a member 'to'");
    const auto last = entry.find("to");
    if (!last) return Failure(last.error());
    if (!*last) return std::nullopt;
    const auto count = (*last)->count();
    if (count && *count >= first && *count < max_count) return *count;
    return (*last)->wrong(fmt::format("expected null, or a whole number, {} or more", first));
  }

  [[nodiscard]] Result<std::string> read_algorithm(const JsonValue& entry) const {
    auto word = entry.text_at("algorithm");
    if (!word) return word;
    if (names_loaded_algorithm(*word)) return word;
    const std::string_view name = current_name(*word);
    const auto is_named = [&](const Algorithm& algorithm) {
      return algorithm.collective == collective_ && algorithm.name == name;
    };
    if (std::ranges::any_of(algorithms(), is_named)) return std::string(name);
    return entry.at("algorithm")->wrong(fmt::format("expected the name of an algorithm for {}", choice_.collective));
  }

  JsonValue value_;
  std::string_view chunk_key_;
  Collective collective_ = Collective::barrier;
  CollectiveChoice choice_;
};

Result<std::vector<CollectiveChoice>> read_collectives(const JsonValue& document, std::uint64_t version) {
  const auto member = document.at("collectives");
  if (!member) return Failure(member.error());
  const auto members = member->members();
  if (!members) return Failure(members.error());
  if (members->empty()) return member->wrong("expected a member for each collective, at least one");
  std::vector<CollectiveChoice> choices;
  for (const auto& [name, value] : *members) {
    auto choice = CollectiveReader(name, value, version).read();
    if (!choice) return Failure(choice.error());
    choices.push_back(std::move(*choice));
  }
  return choices;
}

Result<ChoiceTable> read_table(const JsonValue& document) {
  const auto version = read_head(document, table_head);
  if (!version) return Failure(version.error());
  ChoiceTable table;
  auto source = filled_text_at(document, "source");
  if (!source) return Failure(source.error());
  table.source = std::move(*source);
  auto machines = read_machines(document);
  if (!machines) return Failure(machines.error());
  table.machines = std::move(*machines);
  auto method = read_method_word(document, *version);
  if (!method) return Failure(method.error());
  table.method = std::move(*method);
  const auto model_value = document.at("model");
  if (!model_value) return Failure(model_value.error());
  auto model = read_model(*model_value, *version);
  if (!model) return Failure(model.error());
  table.model = std::move(*model);
  auto collectives = read_collectives(document, *version);
  if (!collectives) return Failure(collectives.error());
  table.collectives = std::move(*collectives);
  return table;
}

}  // namespace

const SizeInterval* ChoiceTable::find(std::string_view collective, Bytes size) const {
  const auto choice = std::ranges::find(collectives, collective, &CollectiveChoice::collective);
  if (choice == collectives.end()) return nullptr;
  const auto after = std::ranges::upper_bound(choice->intervals, size, {}, &SizeInterval::first);
  return after == choice->intervals.begin() ? nullptr : &*std::prev(after);
}

std::string why_for_another_job(const ChoiceTable& table, std::span<const std::uint32_t> machine_of_rank,
                                std::span<const std::string> hosts) {
  std::size_t ranks = 0;
  for (const JobHost& run : table.machines) ranks += run.ranks;
  if (ranks != machine_of_rank.size()) {
    return fmt::format("it was made for {} ranks, and these are {}", ranks, machine_of_rank.size());
  }
  const bool is_here = hosts.size() == 1 && table.machines.size() == 1 && names_own_host(table.machines[0].host);
  std::map<std::string, std::uint32_t> number_of;  // machines as the table has them, by first rank
  std::size_t rank = 0;
  for (const JobHost& run : table.machines) {
    const std::uint32_t machine =
        number_of.try_emplace(short_host_name(run.host), static_cast<std::uint32_t>(number_of.size())).first->second;
    for (std::uint32_t k = 0; k < run.ranks; ++k, ++rank) {
      const std::uint32_t found = machine_of_rank[rank];
      if (found < hosts.size() && !is_here && !is_same_host(run.host, hosts[found])) {
        return fmt::format("it was made for other hosts: rank {} runs on {}, and in the table on {}", rank,
                           hosts[found], run.host);
      }
      if (found != machine) return "it was made for a job with other numbers of ranks on its machines";
    }
  }
  return {};
}

std::string choice_table_text(const ChoiceTable& table) {
  Json machines = Json::array();
  for (const JobHost& machine : table.machines) machines.push_back({{"host", machine.host}, {"ranks", machine.ranks}});
  Json collectives = Json::object();
  for (const CollectiveChoice& choice : table.collectives) collectives[choice.collective] = choice_as_json(choice);
  const Json document = {{"format", table_head.format},
                         {"version", table_head.last_version},
                         {"source", table.source},
                         {"machines", std::move(machines)},
                         {"method", table.method},
                         {"model", model_as_json(table.model)},
                         {"collectives", std::move(collectives)}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<> write_choice_table(const ChoiceTable& table, const std::filesystem::path& path) {
  return write_file(path, choice_table_text(table));
}

Result<ChoiceTable> parse_choice_table(std::string_view text, std::string_view file) {
  const auto document = JsonValue::parse(text, file);
  if (!document) return Failure(document.error());
  return read_table(*document);
}

Result<ChoiceTable> read_choice_table(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return Failure(text.error());
  return parse_choice_table(*text, path.string());
}

}  // namespace ayatori
