#include "process.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

#include "ayatori/base/printable.hpp"
#include "in_network.hpp"
#include "job_plan.hpp"
#include "nodes.hpp"
#include "others.hpp"
#include "own_progress.hpp"

namespace ayatori::plugin {

namespace {

/// Never destroyed: a program may exit with calls that are outstanding, when the MPI is gone already.
Process& the_process = *new Process;

std::string settings_of_environment() {
  std::string lines;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    if (variable.starts_with("AYATORI_")) lines.append(variable).push_back('\n');
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
      report(fmt::format("the choice table is not used: {}", in_words(read.error())));
    }
  }
  text = shared_text(std::move(text));
  if (text.empty()) return;
  auto table = parse_choice_table(text, "AYATORI_CHOICE");
  if (table) the_process.table = std::move(*table);
}

/// MPICH writes a tab before its version, and from 4.2 on several blanks.
std::string with_single_blanks(std::string text) {
  std::ranges::replace(text, '\t', ' ');
  const auto rest = std::ranges::unique(text, [](char a, char b) { return a == ' ' && b == ' '; });
  text.erase(rest.begin(), rest.end());
  return text;
}

/// Its name and version, as `ayatori tune` writes them.
std::string own_mpi() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  std::string version(text.data());
  version.resize(std::min(version.find_first_of(",\n"), version.size()));
  return with_single_blanks(std::move(version));
}

std::string why_for_another_mpi(const ChoiceTable& table) {
  if (!table.measured) return {};
  const std::string measured = with_single_blanks(table.measured->mpi);
  return measured == own_mpi() ? "" : fmt::format("it was measured with {}, and this is {}", measured, own_mpi());
}

/// A table is made for one job: these hosts, as many ranks on each, in their order. Process 0 knows the names, of which
/// those of pretended machines would say nothing.
void drop_table_of_another_job() {
  if (!the_process.table) return;
  std::vector<std::string> hosts;
  if (the_process.settings.ranks_per_machine == 0) hosts = hosts_of_machines(the_process);
  std::string reason;
  if (the_process.rank == 0) {
    reason = why_for_another_job(*the_process.table, the_process.placement.machine, hosts);
    if (reason.empty()) reason = why_for_another_mpi(*the_process.table);
  }
  reason = shared_text(std::move(reason));
  if (reason.empty()) return;
  report(fmt::format("the choice table is not used: {}", reason));
  the_process.table.reset();
}

/// Where ranks wait for cores, times say nothing of who executes. Collective.
bool may_veto() {
  if (!the_process.table || !the_process.settings.veto) return false;
  int oversubscribed = the_process.memory != nullptr && the_process.memory->oversubscribed() ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &oversubscribed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return oversubscribed == 0;
}

/// By MPI_Comm_create, which copies none of the program's attributes as MPI_Comm_dup would. False, alike in all
/// processes: the MPI has no communicator to give, and returns from that. The error handler of MPI_COMM_WORLD stays as
/// it is, since MPICH can't put it back: its communicators without a handler follow the one that MPI_COMM_WORLD gets
/// later, until it is set for the first time.
bool make_communicator_for_messages() {
  int made = PMPI_Comm_create(MPI_COMM_WORLD, the_process.world, &the_process.messages) == MPI_SUCCESS ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &made, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (made == 0) return false;
  PMPI_Comm_set_errhandler(the_process.messages, MPI_ERRORS_RETURN);
  int* largest = nullptr;
  int known = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &known);
  constexpr int guaranteed = 32767;  // MPI 3.1, section 8.1.2
  the_process.tags = std::make_unique<TagBlocks>(known != 0 ? *largest : guaranteed);
  return true;
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
  for (const std::string& complaint : the_process.settings.complaints) report(complaint);
  check_plan(the_process);
  if (reduces_in_switches()) {
    explain("reductions in switches (SHARP) are the MPI's own");
  }
  take_table();
  take_algorithms_of_others(the_process);
  const bool moves = the_process.settings.progress != ProgressMode::off;
  const bool executes = the_process.settings.executes_anything() || the_process.table || the_process.settings.sockets;
  if (!executes && !moves) return false;
  PMPI_Comm_group(MPI_COMM_WORLD, &the_process.world);
  begin_progress();
  find_nodes(the_process);
  add_topology(the_process);
  drop_table_of_another_job();
  the_process.may_veto = may_veto();
  // Last, when communicators that were needed meanwhile are free: MPICH takes 900 KB for the ninth.
  if (!make_communicator_for_messages()) {
    report("collectives are left alone: the MPI has no communicator for their messages");
    end_progress();
    return false;
  }
  const bool may_be_ours = the_process.settings.forces_nonblocking() || the_process.collectives_are_apart;
  if (may_be_ours || (the_process.table && !the_process.table->measured)) {
    the_process.executes_nonblocking = join_progress_of_mpi();
    if (!the_process.executes_nonblocking) {
      explain("calls that do not block: the MPI's own, which does not let others take part in its progress");
    }
  }
  return true;
}

std::string first_reason(std::string reason) {
  int first = reason.empty() ? INT_MAX : the_process.rank;
  PMPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == INT_MAX) return {};
  auto length = static_cast<int>(reason.size());
  PMPI_Bcast(&length, 1, MPI_INT, first, MPI_COMM_WORLD);
  reason.resize(static_cast<std::size_t>(length));
  PMPI_Bcast(reason.data(), length, MPI_CHAR, first, MPI_COMM_WORLD);
  return reason;
}

std::string in_words(const Error& error) {
  return error.cause.empty() ? error.message : fmt::format("{}: {}", error.message, error.cause);
}

std::string own_host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

void report_here(std::string_view line) { std::fprintf(stderr, "ayatori: %s\n", printable(line).c_str()); }

void report(std::string_view line) {
  if (the_process.rank == 0) report_here(line);
}

void explain(std::string_view line) {
  if (the_process.rank != 0 || !the_process.settings.verbose) return;
  static std::mutex mutex;
  static std::set<std::string, std::less<>> reported;
  const std::lock_guard lock(mutex);
  if (reported.emplace(line).second) report(line);
}

bool mpi_refuses_aliases(MpiCall call) {
  struct Refuses {
    bool in_reduce = false;
    bool elsewhere = false;
  };
  static const Refuses refuses = [] {
    MPI_Group self = MPI_GROUP_NULL;
    MPI_Comm alone = MPI_COMM_NULL;
    PMPI_Comm_group(MPI_COMM_SELF, &self);
    PMPI_Comm_create(MPI_COMM_SELF, self, &alone);
    PMPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
    int number = 0;
    const Refuses found{.in_reduce = PMPI_Reduce(&number, &number, 1, MPI_INT, MPI_SUM, 0, alone) != MPI_SUCCESS,
                        .elsewhere = PMPI_Allreduce(&number, &number, 1, MPI_INT, MPI_SUM, alone) != MPI_SUCCESS};
    PMPI_Comm_free(&alone);
    PMPI_Group_free(&self);
    return found;
  }();
  return call == MpiCall::reduce ? refuses.in_reduce : refuses.elsewhere;
}

}  // namespace ayatori::plugin
