#include "ayatori/artefacts/choice_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>

#include "ayatori/network/host_name.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "costs_json.hpp"

namespace ayatori {

namespace {

constexpr ArtefactHead table_head = {
    .format = "ayatori-choice",
    .name = "a choice table",
    .made_by = "`ayatori tune` and `ayatori choose SOURCE --job HOSTFILE --out FILE` write one",
};

/// One of some words: "drift" or "synchronous".
struct OneOf : Plain {
  std::span<const std::string_view> words;
  constexpr explicit OneOf(std::span<const std::string_view> all) : words(all) {}

  [[nodiscard]] Result<> read(const JsonValue& value, std::string& into) const {
    auto word = value.text();
    if (!word) return Failure(word.error());
    if (std::ranges::find(words, *word) == words.end()) {
      return value.wrong(
          fmt::format("expected {} or {}", fmt::join(words.first(words.size() - 1), ", "), words.back()));
    }
    into = std::move(*word);
    return {};
  }
};

constexpr std::string_view step_modes[] = {"drift", "synchronous"};
constexpr std::string_view methods[] = {"base-lids", "rule", "colour", "pair", "dimension-order", "adaptive", "ecmp"};

constexpr auto describe_model = [](auto& fields, auto& model) {
  fields.member("steps", model.steps, OneOf{step_modes});
  fields.member("link_bandwidth", model.link_bandwidth, Amount{});
  fields.member("link_latency", model.link_latency, Amount{});
  fields.member("head_of_line", model.head_of_line, Truth{});
  fields.member("costs_from", model.costs_from, FilledText{});
  auto& costs = model.costs;
  fields.member("inside", costs.inside, Record{describe_message_costs});
  fields.member("between", costs.between, Record{describe_message_costs});
  fields.member("copy", costs.copy, CostLines{});
  fields.member("reduce", costs.reduce, CostLines{});
  fields.optional("cache_refill", costs.cache_refill, CostLines{});
  fields.optional("start", costs.start, Amount{});
  fields.optional("cores", costs.cores, Count{0, no_id});
  fields.optional("scheduling_delay", costs.scheduling_delay, CostLines{});
  fields.optional_if(costs.start_skew > 0, "start_skew", costs.start_skew, Amount{});
  fields.optional_if(!costs.oversubscription.empty(), "oversubscription", costs.oversubscription, CostLines{});
  fields.no_others("a model");
};

struct RisingSizes : Plain {
  [[nodiscard]] Result<> read(const JsonValue& value, std::vector<Bytes>& into) const {
    const auto items = value.items();
    if (!items) return Failure(items.error());
    if (items->empty()) return value.wrong("expected an array that is not empty");
    for (const JsonValue& item : *items) {
      const auto size = item.count();
      const bool rises = size && *size <= max_count && (into.empty() || *size > into.back());
      if (!rises) return item.wrong("expected sizes in bytes, each larger than the one before");
      into.push_back(*size);
    }
    return {};
  }
};

/// The last size of an interval that begins with `first`.
struct LastSize : Plain {
  Bytes first;
  constexpr explicit LastSize(Bytes of) : first(of) {}

  [[nodiscard]] Result<> read(const JsonValue& value, Bytes& into) const {
    const auto count = value.count();
    if (!count || *count < first || *count >= max_count) {
      return value.wrong(fmt::format("expected null, or a whole number, {} or more", first));
    }
    into = *count;
    return {};
  }
};

/// One of ours for a collective, or the name of somebody else's.
struct AlgorithmName : Plain {
  std::string_view collective;
  constexpr explicit AlgorithmName(std::string_view of) : collective(of) {}

  [[nodiscard]] Result<> read(const JsonValue& value, std::string& into) const {
    auto word = value.text();
    if (!word) return Failure(word.error());
    const auto is_named = [&](const Algorithm& algorithm) {
      return to_word(algorithm.collective) == collective && algorithm.name == *word;
    };
    if (*word != the_mpis_own && !names_loaded_algorithm(*word) && std::ranges::none_of(algorithms(), is_named)) {
      return value.wrong(fmt::format("expected the name of an algorithm for {}", collective));
    }
    into = std::move(*word);
    return {};
  }
};

constexpr auto describe_interval = [](std::string_view collective) {
  return [collective](auto& fields, auto& interval) {
    fields.member("from", interval.first, Count{});
    fields.nullable("to", interval.last, LastSize{interval.first});
    fields.member("algorithm", interval.algorithm, AlgorithmName{collective});
    fields.member("chunk", interval.chunk_bytes, Count{});
  };
};

/// Intervals cover all sizes from 0 on, each once, in order.
Result<> check_cover(const JsonValue& list, const std::vector<SizeInterval>& intervals) {
  std::optional<Bytes> next = 0;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const JsonValue here = *list.item(i);
    if (!next) return here.wrong("expected no interval after the one without an end");
    if (intervals[i].first != *next) return here.at("from")->wrong(fmt::format("expected {}", *next));
    next = intervals[i].last ? std::optional(*intervals[i].last + 1) : std::nullopt;
  }
  if (!next) return {};
  return list.item(intervals.size() - 1)->at("to")->wrong("expected null in the last interval, for all larger sizes");
}

constexpr auto describe_choice = [](auto& fields, auto& choice) {
  fields.member("sampled", choice.sampled, RisingSizes{});
  fields.member("intervals", choice.intervals, List{Record{describe_interval(choice.collective)}, true});
  fields.check([&](const JsonValue& value) { return check_cover(*value.at("intervals"), choice.intervals); });
};

/// An object with a member for each collective.
struct Choices {
  [[nodiscard]] Result<> read(const JsonValue& value, std::vector<CollectiveChoice>& into) const {
    const auto members = value.members();
    if (!members) return Failure(members.error());
    if (members->empty()) return value.wrong("expected a member for each collective, at least one");
    for (const auto& [name, of_collective] : *members) {
      if (!parse_collective(name)) return of_collective.wrong("no collective has this name");
      CollectiveChoice& choice = into.emplace_back();
      choice.collective = name;
      if (auto read = Record{describe_choice}.read(of_collective, choice); !read) return read;
    }
    return {};
  }
  [[nodiscard]] Json write(const std::vector<CollectiveChoice>& choices) const {
    Json members = Json::object();
    for (const CollectiveChoice& choice : choices) members[choice.collective] = Record{describe_choice}.write(choice);
    return members;
  }
};

constexpr auto describe_measurement = [](auto& fields, auto& measured) {
  fields.member("machine", measured.machine, FilledText{});
  fields.member("mpi", measured.mpi, FilledText{});
  fields.member("date", measured.date, FilledText{});
  fields.member("seed", measured.seed, Count{});
  fields.no_others("a measurement");
};

/// Of a table that may have none.
struct Measurement {
  [[nodiscard]] Result<> read(const JsonValue& value, std::optional<ChoiceMeasurement>& into) const {
    return Record{describe_measurement}.read(value, into.emplace());
  }
  [[nodiscard]] Json write(const std::optional<ChoiceMeasurement>& measured) const {
    return Record{describe_measurement}.write(*measured);
  }
};

constexpr auto describe_table = [](auto& fields, auto& table) {
  fields.member("machines", table.machines, Machines{});
  fields.optional_if(table.measured.has_value(), "measured", table.measured, Measurement{});
  if (!table.measured) {
    fields.member("source", table.source, FilledText{});
    fields.member("method", table.method, OneOf{methods});
    fields.member("model", table.model, Record{describe_model});
  }
  fields.member("collectives", table.collectives, Choices{});
};

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

std::string choice_table_text(const ChoiceTable& table) { return artefact_text(table_head, table, describe_table); }

Result<> write_choice_table(const ChoiceTable& table, const std::filesystem::path& path) {
  return write_file(path, choice_table_text(table));
}

Result<ChoiceTable> parse_choice_table(std::string_view text, std::string_view file) {
  return parse_artefact<ChoiceTable>(table_head, text, file, describe_table);
}

Result<ChoiceTable> read_choice_table(const std::filesystem::path& path) {
  return read_artefact(path, parse_choice_table);
}

}  // namespace ayatori
