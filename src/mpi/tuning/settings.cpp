#include "ayatori/tuning/settings.hpp"

#include <algorithm>

#include "ayatori/base/byte_count.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/schedule/algorithms.hpp"

namespace ayatori {

namespace {

constexpr std::uint32_t max_cpu = 65535;

Result<std::string> executable_algorithm(MpiCall call, std::string_view word) {
  std::string known;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != names_of(call).collective || algorithm.name == "in-network") continue;
    if (names_of(call).sized_by_rank && call != MpiCall::reduce_scatter && !takes_sizes_by_rank(call, algorithm.name)) {
      continue;
    }
    if (algorithm.name == word) return std::string(word);
    known += known.empty() ? "" : ", ";
    known += algorithm.name;
  }
  return with_hint(fail("{} has no algorithm '{}'", names_of(call).name, word), "there are mpi, " + known);
}

/// Of "chunk=16KiB".
Result<Bytes> parse_chunk(std::string_view option) {
  const std::size_t equals = std::min(option.find('='), option.size());
  if (option.substr(0, equals) != "chunk") return fail("no option '{}'; there is chunk=SIZE", option);
  const auto bytes = parse_byte_count(option.substr(std::min(equals + 1, option.size())));
  if (!bytes || *bytes == 0) return fail("'{}' is not a size; 16KiB is one", option);
  return *bytes;
}

/// "file:F" or "library:L.so:NAME", whose names may have colons of their own, and a size of chunks after the last one.
Result<ForcedChoice> parse_loaded_choice(MpiCall call, std::string_view text) {
  if (names_of(call).sized_by_rank) {
    return fail("{} has sizes by rank, which algorithms of others do not take", names_of(call).name);
  }
  const std::size_t last = text.rfind(':');
  const std::string_view option = text.substr(last + 1);
  const bool has_option = option.substr(0, option.find('=')) == "chunk" && last != text.find(':');
  if (!has_option) return ForcedChoice{std::string(text), 0};
  const auto size = parse_chunk(option);
  if (!size) return Failure(size.error());
  return ForcedChoice{std::string(text.substr(0, last)), *size};
}

bool is_on(std::string_view value) { return !value.empty() && value != "0" && value != "off"; }

void complain(Settings& settings, std::string_view name, std::string_view value, const Error& error) {
  std::string line = fmt::format("{}={} is not used: {}", name, value, error.message);
  if (!error.hint.empty()) line += fmt::format(" ({})", error.hint);
  settings.complaints.push_back(std::move(line));
}

void read_forced(Settings& settings, std::string_view name, std::string_view value) {
  for (const MpiCallNames& call : mpi_calls()) {
    const bool blocks = call.variable == name;
    if (!blocks && nonblocking_variable(call.call) != name) continue;
    auto forced = parse_forced_choice(call.call, value);
    if (forced) {
      auto& all = blocks ? settings.forced : settings.forced_nonblocking;
      all[static_cast<std::size_t>(call.call)] = std::move(*forced);
    } else {
      complain(settings, name, value, forced.error());
    }
  }
}

bool forces_an_algorithm(const std::optional<ForcedChoice>& choice) { return choice && !choice->algorithm.empty(); }

void read_progress(Settings& settings, std::string_view value) {
  if (value == "thread") {
    settings.progress = ProgressMode::thread;
  } else if (value == "calls") {
    settings.progress = ProgressMode::calls;
  } else if (is_on(value)) {
    complain(settings, "AYATORI_PROGRESS", value, fail("there are thread, calls and off").error());
  }
}

/// "3" or "2,3".
void read_progress_cpus(Settings& settings, std::string_view value) {
  std::vector<std::uint32_t> cpus;
  for (const std::string_view word : split(value, ',')) {
    const auto cpu = parse_unsigned<std::uint32_t>(word);
    if (!cpu || *cpu > max_cpu) {
      complain(settings, "AYATORI_PROGRESS_CPU", value, fail("'{}' is not the number of a core", word).error());
      return;
    }
    cpus.push_back(*cpu);
  }
  settings.progress_cpus = std::move(cpus);
}

void read_max_count(Settings& settings, std::string_view value) {
  const auto bytes = parse_byte_count(value);
  if (bytes && *bytes > 0 && *bytes <= Settings().max_count) {
    settings.max_count = *bytes;
  } else {
    complain(settings, "AYATORI_MAX_COUNT", value, fail("it is a size of at most 1GiB").error());
  }
}

}  // namespace

Result<ForcedChoice> parse_forced_choice(MpiCall call, std::string_view text) {
  if (names_loaded_algorithm(text)) return parse_loaded_choice(call, text);
  const auto parts = split(text, ':');
  if (parts.empty()) return fail("expected the name of an algorithm, or mpi");
  ForcedChoice choice;
  if (parts[0] != "mpi") {
    auto algorithm = executable_algorithm(call, parts[0]);
    if (!algorithm) return Failure(algorithm.error());
    choice.algorithm = std::move(*algorithm);
  }
  for (const std::string_view part : std::span(parts).subspan(1)) {
    const auto size = parse_chunk(part);
    if (!size) return Failure(size.error());
    choice.chunk_bytes = *size;
  }
  return choice;
}

std::vector<std::string_view> setting_variables() {
  std::vector<std::string_view> names = {
      "AYATORI_VERBOSE",           "AYATORI_VETO",     "AYATORI_NODE_MEMORY",  "AYATORI_MAX_COUNT",
      "AYATORI_RANKS_PER_MACHINE", "AYATORI_PROGRESS", "AYATORI_PROGRESS_CPU", "AYATORI_SOCKETS"};
  for (const MpiCallNames& call : mpi_calls()) {
    names.push_back(call.variable);
    names.push_back(nonblocking_variable(call.call));
  }
  return names;
}

bool Settings::executes_anything() const {
  const auto is_set = [](const auto& choice) { return choice.has_value(); };
  return std::ranges::any_of(forced, is_set) || std::ranges::any_of(forced_nonblocking, is_set);
}

bool Settings::forces_nonblocking() const { return std::ranges::any_of(forced_nonblocking, forces_an_algorithm); }

Settings parse_settings(std::string_view lines) {
  Settings settings;
  LineReader reader(lines);
  while (const auto line = reader.next()) {
    const std::size_t equals = line->find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = line->substr(0, equals);
    const std::string_view value = line->substr(equals + 1);
    if (name == "AYATORI_VERBOSE") settings.verbose = is_on(value);
    if (name == "AYATORI_VETO") settings.veto = is_on(value);
    if (name == "AYATORI_NODE_MEMORY") settings.node_memory = is_on(value);
    if (name == "AYATORI_SOCKETS") settings.sockets = is_on(value);
    if (name == "AYATORI_RANKS_PER_MACHINE") {
      settings.ranks_per_machine = parse_unsigned<std::uint32_t>(value).value_or(0);
    }
    if (name == "AYATORI_MAX_COUNT") read_max_count(settings, value);
    if (name == "AYATORI_PROGRESS") read_progress(settings, value);
    if (name == "AYATORI_PROGRESS_CPU") read_progress_cpus(settings, value);
    read_forced(settings, name, value);
  }
  return settings;
}

}  // namespace ayatori
