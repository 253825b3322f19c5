#include "others.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "checksum.hpp"

namespace ayatori::plugin {

namespace {

/// The file that "file:F" or "library:L.so:NAME" names.
std::string file_of(std::string_view name) {
  std::string path(name.substr(name.find(':') + 1));
  if (!std::filesystem::exists(path) && path.rfind(':') != std::string::npos) path.resize(path.rfind(':'));
  return path;
}

/// What all processes of MPI_COMM_WORLD have, or nothing.
std::shared_ptr<const LoadedAlgorithm> loaded_by_all(const std::string& name) {
  const auto loaded = load_algorithm(name);
  const std::uint64_t checksum = checksum_of(file_of(name));
  std::uint64_t least[] = {loaded ? 1U : 0U, checksum, ~checksum};
  PMPI_Allreduce(MPI_IN_PLACE, least, 3, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  if (!loaded) report(fmt::format("{} is not used: {}", name, in_words(loaded.error())));
  if (least[0] == 0) {
    if (loaded) report(fmt::format("{} is not used: not all processes can load it", name));
    return nullptr;
  }
  if (least[1] != ~least[2]) {
    report(fmt::format("{} is not used: the file is not the same on all nodes", name));
    return nullptr;
  }
  return *loaded;
}

}  // namespace

void take_algorithms_of_others(Process& process) {
  const auto take = [&](std::optional<ForcedChoice>& forced) {
    if (!forced || !names_loaded_algorithm(forced->algorithm)) return;
    const auto [known, is_new] = process.others.try_emplace(forced->algorithm);
    if (is_new) known->second = loaded_by_all(forced->algorithm);
    if (known->second == nullptr) forced.reset();
  };
  std::ranges::for_each(process.settings.forced, take);
  std::ranges::for_each(process.settings.forced_nonblocking, take);
}

Result<SchedulePtr> schedule_of(const std::string& algorithm, const CollectiveCall& call, const Placement& placement,
                                const AlgorithmOptions& options) {
  const auto other = process().others.find(algorithm);
  if (other == process().others.end() || other->second == nullptr) {
    return make_schedule(algorithm, call, placement, options);
  }
  AlgorithmOptions taken = options;
  if (!other->second->takes_chunks()) taken.chunk_bytes = 0;
  auto made = other->second->make(call, placement, taken);
  if (!made) return Failure(made.error());
  if (made->schedule == nullptr) return fail("{} makes no such schedule: {}", algorithm, made->reason);
  return std::move(made->schedule);
}

}  // namespace ayatori::plugin
