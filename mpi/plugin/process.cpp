#include "process.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

#include "in_network.hpp"
#include "job_plan.hpp"
#include "model.hpp"
#include "nodes.hpp"
#include "others.hpp"
#include "own_progress.hpp"

namespace ayatori::plugin {

namespace {

/// Never destroyed: a program may exit with calls that are outstanding, when the MPI is gone already.
Process& the_process = *new Process;

std::string settings_of_environment() {
  std::string lines;
  for (const std::string_view name : setting_variables()) {
    const char* const value = std::getenv(std::string(name).c_str());
    if (value != nullptr) lines += std::string(name) + "=" + value + "\n";
  }
  return lines;
}

/// Process 0 reads the choice table, and all others take its text.
void take_table() {
  const char* const path = std::getenv("AYATORI_CHOICE");
  std::string text;
  if (the_process.rank == 0 && path != nullptr && *path != '\0') {
    auto read = read_choice_table(path);
    if (read) {
      text = choice_table_text(*read);
    } else {
      tell(fmt::format("the choice table is not used: {}", read.error().message));
    }
  }
  text = shared_text(std::move(text));
  if (text.empty()) return;
  auto table = parse_choice_table(text, "AYATORI_CHOICE");
  if (table) the_process.table = std::move(*table);
}

/// A table is made for one job: as many ranks on each machine, in their order.
bool fits(const ChoiceTable& table, const Places& places) {
  Rank rank = 0;
  for (std::uint32_t machine = 0; machine < table.machines.size(); ++machine) {
    for (std::uint32_t k = 0; k < table.machines[machine].ranks; ++k, ++rank) {
      if (rank >= places.machine.size() || places.machine[rank] != machine) return false;
    }
  }
  return rank == places.machine.size();
}

}  // namespace

Process& process() { return the_process; }

std::string shared_text(std::string text) {
  auto length = static_cast<int>(text.size());
  PMPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(length));
  PMPI_Bcast(text.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

bool begin_process(int level) {
  PMPI_Query_thread(&the_process.level);
  if (level >= 0) the_process.level = level;
  PMPI_Comm_rank(MPI_COMM_WORLD, &the_process.rank);
  the_process.settings = parse_settings(shared_text(settings_of_environment()));
  for (const std::string& complaint : the_process.settings.complaints) tell(complaint);
  if (reduces_in_switches()) {
    explain("reductions in switches (SHARP) are the MPI's own, and what others have to be faster than");
  }
  take_table();
  take_algorithms_of_others(the_process);
  const bool moves = the_process.settings.progress != ProgressMode::off;
  if (!the_process.settings.plays_anything() && !the_process.table && !moves) return false;
  PMPI_Comm_group(MPI_COMM_WORLD, &the_process.world);
  begin_progress();
  find_nodes(the_process);
  add_topology(the_process);
  check_plan(the_process);
  take_model(the_process);
  if (the_process.table && !fits(*the_process.table, the_process.places)) {
    tell("the choice table is not used: it was made for a job with other numbers of ranks on its machines");
    the_process.table.reset();
  }
  const bool may_be_ours = the_process.settings.forces_nonblocking() || the_process.collectives_are_apart;
  if (may_be_ours || the_process.table) {
    the_process.plays_nonblocking = join_progress_of_mpi();
    if (!the_process.plays_nonblocking) {
      explain("calls that do not block: the MPI's own, which does not let others take part in its progress");
    }
  }
  return true;
}

void tell(std::string_view line) {
  if (the_process.rank != 0) return;
  std::fprintf(stderr, "ayatori: %.*s\n", static_cast<int>(line.size()), line.data());
}

void explain(std::string_view line) {
  if (the_process.rank != 0 || !the_process.settings.verbose) return;
  static std::mutex mutex;
  static std::set<std::string, std::less<>> told;
  const std::lock_guard lock(mutex);
  if (told.emplace(line).second) tell(line);
}

}  // namespace ayatori::plugin
