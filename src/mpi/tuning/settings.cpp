#include "ayatori/tuning/settings.hpp"

#include <algorithm>
#include <array>

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
  const std::string_view file = text.substr(text.find(':') + 1);
  if (file.empty() || file.front() == ':') return fail("it names no file");
  const std::size_t last = text.rfind(':');
  const std::string_view option = text.substr(last + 1);
  const bool has_option = option.substr(0, option.find('=')) == "chunk" && last != text.find(':');
  if (!has_option) return ForcedChoice{std::string(text), 0};
  const auto size = parse_chunk(option);
  if (!size) return Failure(size.error());
  return ForcedChoice{std::string(text.substr(0, last)), *size};
}

void complain(Settings& settings, std::string_view name, std::string_view value, const Error& error) {
  std::string line = fmt::format("{}={} is not used: {}", name, value, error.message);
  if (!error.hint.empty()) line += fmt::format(" ({})", error.hint);
  settings.complaints.push_back(std::move(line));
}

/// What is neither leaves the switch as it is.
void read_switch(Settings& settings, bool& is_on, std::string_view name, std::string_view value) {
  constexpr std::array on{"1", "on", "yes", "true"};
  constexpr std::array off{"", "0", "off", "no", "false"};
  const bool is_named_on = std::ranges::find(on, value) != on.end();
  if (is_named_on || std::ranges::find(off, value) != off.end()) {
    is_on = is_named_on;
  } else {
    complain(settings, name, value, fail("there are on (1, yes, true) and off (0, no, false)").error());
  }
}

/// False: no call has this variable.
bool read_forced(Settings& settings, std::string_view name, std::string_view value) {
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
    return true;
  }
  return false;
}

bool forces_an_algorithm(const std::optional<ForcedChoice>& choice) { return choice && !choice->algorithm.empty(); }

void read_progress(Settings& settings, std::string_view value) {
  if (value == "thread") {
    settings.progress = ProgressMode::thread;
  } else if (value == "calls") {
    settings.progress = ProgressMode::calls;
  } else if (!value.empty() && value != "off" && value != "0") {
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

void read_ranks_per_machine(Settings& settings, std::string_view value) {
  const auto ranks = parse_unsigned<std::uint32_t>(value);
  if (ranks && *ranks > 0) {
    settings.ranks_per_machine = *ranks;
  } else {
    complain(settings, "AYATORI_RANKS_PER_MACHINE", value, fail("it is a number above 0").error());
  }
}

void read_max_count(Settings& settings, std::string_view value) {
  const auto bytes = parse_byte_count(value);
  if (bytes && *bytes > 0 && *bytes <= Settings().max_count) {
    settings.max_count = *bytes;
  } else {
    complain(settings, "AYATORI_MAX_COUNT", value, fail("it is a size of at most 1GiB").error());
  }
}

/// Those of docs/environment.md that others read: a test compares.
constexpr std::array variables_of_others{"AYATORI_ALIASES",       "AYATORI_CHOICE",         "AYATORI_LAB_HOSTFILE",
                                         "AYATORI_PATHS_LOG",     "AYATORI_PATHS_PER_PAIR", "AYATORI_PLAN",
                                         "AYATORI_PLAN_MUST_FIT", "AYATORI_PROBE",          "AYATORI_PROBE_FILE",
                                         "AYATORI_ROCE_PLAN",     "AYATORI_TRACE",          "AYATORI_TRACEBACK"};

void read_setting(Settings& settings, std::string_view name, std::string_view value) {
  bool intercepts = true;  // by libayatori_mpi.so, which has read it before
  if (name == "AYATORI_VERBOSE") return read_switch(settings, settings.verbose, name, value);
  if (name == "AYATORI_VETO") return read_switch(settings, settings.veto, name, value);
  if (name == "AYATORI_NODE_MEMORY") return read_switch(settings, settings.node_memory, name, value);
  if (name == "AYATORI_SOCKETS") return read_switch(settings, settings.sockets, name, value);
  if (name == "AYATORI_MPI") return read_switch(settings, intercepts, name, value);
  if (name == "AYATORI_RANKS_PER_MACHINE") return read_ranks_per_machine(settings, value);
  if (name == "AYATORI_MAX_COUNT") return read_max_count(settings, value);
  if (name == "AYATORI_PROGRESS") return read_progress(settings, value);
  if (name == "AYATORI_PROGRESS_CPU") return read_progress_cpus(settings, value);
  if (!name.starts_with("AYATORI_") || read_forced(settings, name, value)) return;
  if (std::ranges::find(variables_of_others, name) == variables_of_others.end()) {
    complain(settings, name, value, fail("Ayatori has no variable of this name").error());
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
    read_setting(settings, name, line->substr(equals + 1));
  }
  return settings;
}

}  // namespace ayatori
