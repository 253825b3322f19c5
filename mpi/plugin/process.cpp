#include "process.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

#include "nodes.hpp"

namespace ayatori::plugin {

namespace {

Process the_process;

std::string settings_of_environment() {
  std::string lines;
  for (const std::string_view name : setting_variables()) {
    const char* const value = std::getenv(std::string(name).c_str());
    if (value != nullptr) lines += std::string(name) + "=" + value + "\n";
  }
  return lines;
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

bool begin_process() {
  PMPI_Comm_rank(MPI_COMM_WORLD, &the_process.rank);
  the_process.settings = parse_settings(shared_text(settings_of_environment()));
  for (const std::string& complaint : the_process.settings.complaints) tell(complaint);
  if (!the_process.settings.plays_anything()) return false;
  PMPI_Comm_group(MPI_COMM_WORLD, &the_process.world);
  find_nodes(the_process);
  add_topology(the_process);
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
