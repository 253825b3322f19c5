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
};

constexpr std::array<std::string_view, 15> model_members = {
    "steps",  "link_bandwidth", "link_latency", "head_of_line", "costs_from", "inside",     "between", "copy",
    "reduce", "again",          "start",        "cores",        "turn",       "first_turn", "crowded"};

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

Result<std::string> read_method_word(const JsonValue& document) {
  auto word = document.text_at("method");
  if (!word) return word;
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

Result<> check_members(const JsonValue& model) {
  const auto members = model.members();
  if (!members) return Failure(members.error());
  for (const auto& [name, value] : *members) {
    if (std::ranges::find(model_members, name) == model_members.end()) return value.wrong("no member of a model");
  }
  return {};
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
  for (const auto& [name, member] :
       {Local{"again", &CommunicationCosts::again}, Local{"turn", &CommunicationCosts::turn},
        Local{"crowded", &CommunicationCosts::crowded}}) {
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
  if (model.has("cores")) {
    const auto cores = count_at(model, "cores", 0, max_count);
    if (!cores) return Failure(cores.error());
    costs.cores = static_cast<std::uint32_t>(std::min<std::uint64_t>(*cores, no_id));
  }
  return costs;
}

Result<ChoiceModel> read_model(const JsonValue& model) {
  if (auto checked = check_members(model); !checked) return Failure(checked.error());
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
  auto costs = read_costs(model);
  if (!costs) return Failure(costs.error());
  read.costs = std::move(*costs);
  auto costs_from = filled_text_at(model, "costs_from");
  if (!costs_from) return Failure(costs_from.error());
  read.costs_from = std::move(*costs_from);
  return read;
}

/// Reads the choices for one collective.
class CollectiveReader {
 public:
  CollectiveReader(std::string name, JsonValue value) : value_(std::move(value)) {
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
    const auto chunk = count_at(entry, "chunk", 0, max_count);
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
    const auto is_named = [&](const Algorithm& algorithm) {
      return algorithm.collective == collective_ && algorithm.name == *word;
    };
    if (std::ranges::any_of(algorithms(), is_named)) return word;
    return entry.at("algorithm")->wrong(fmt::format("expected the name of an algorithm for {}", choice_.collective));
  }

  JsonValue value_;
  Collective collective_ = Collective::barrier;
  CollectiveChoice choice_;
};

Result<std::vector<CollectiveChoice>> read_collectives(const JsonValue& document) {
  const auto member = document.at("collectives");
  if (!member) return Failure(member.error());
  const auto members = member->members();
  if (!members) return Failure(members.error());
  if (members->empty()) return member->wrong("expected a member for each collective, at least one");
  std::vector<CollectiveChoice> choices;
  for (const auto& [name, value] : *members) {
    auto choice = CollectiveReader(name, value).read();
    if (!choice) return Failure(choice.error());
    choices.push_back(std::move(*choice));
  }
  return choices;
}

Result<ChoiceTable> read_table(const JsonValue& document) {
  if (auto checked = read_head(document, table_head); !checked) return Failure(checked.error());
  ChoiceTable table;
  auto source = filled_text_at(document, "source");
  if (!source) return Failure(source.error());
  table.source = std::move(*source);
  auto machines = read_machines(document);
  if (!machines) return Failure(machines.error());
  table.machines = std::move(*machines);
  auto method = read_method_word(document);
  if (!method) return Failure(method.error());
  table.method = std::move(*method);
  const auto model_value = document.at("model");
  if (!model_value) return Failure(model_value.error());
  auto model = read_model(*model_value);
  if (!model) return Failure(model.error());
  table.model = std::move(*model);
  auto collectives = read_collectives(document);
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
  const Json document = {
      {"format", table_head.format},          {"version", artefact_version}, {"source", table.source},
      {"machines", std::move(machines)},      {"method", table.method},      {"model", model_as_json(table.model)},
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
