#include "ayatori/loaded/loaded_algorithm.hpp"

#include <fmt/core.h>

#include "ayatori/artefacts/schedule_file.hpp"
#include "library_algorithm.hpp"

namespace ayatori {

namespace {

constexpr std::string_view file_prefix = "file:";
constexpr std::string_view library_prefix = "library:";

class FileAlgorithm final : public LoadedAlgorithm {
 public:
  FileAlgorithm(std::string path, ScheduleFile file) : path_(std::move(path)), file_(std::move(file)) {}

  [[nodiscard]] bool takes_chunks() const override { return false; }

 private:
  [[nodiscard]] Result<LoadedSchedule> make_checked(const CollectiveCall& call, const Placement&,
                                                    const AlgorithmOptions& options) const override {
    const WrittenWithSizes* found = find_schedule(file_, call);
    if (found == nullptr) return LoadedSchedule{nullptr, why_not(call)};
    auto schedule = schedule_of(found->algorithm, call, options.pair_sizes);
    if (!schedule) return Failure(schedule.error());
    return LoadedSchedule{std::move(*schedule), {}};
  }

  [[nodiscard]] std::string why_not(const CollectiveCall& call) const {
    const std::string root = has_root(call.collective) ? fmt::format(" from root {}", call.root) : "";
    const std::string bytes = call.collective == Collective::barrier ? "" : fmt::format(" of {} bytes", call.bytes);
    return fmt::format("{} has no schedule for {}{} among {} ranks{}", path_, to_word(call.collective), bytes,
                       call.ranks, root);
  }

  std::string path_;
  ScheduleFile file_;
};

Result<std::shared_ptr<const LoadedAlgorithm>> load_file(std::string_view path) {
  auto file = read_schedule_file(path);
  if (!file) return Failure(file.error());
  return std::make_shared<FileAlgorithm>(std::string(path), std::move(*file));
}

}  // namespace

Result<LoadedSchedule> LoadedAlgorithm::make(const CollectiveCall& call, const Placement& placement,
                                             const AlgorithmOptions& options) const {
  const auto checked = checked_call(call, options);
  if (!checked) return Failure(checked.error());
  if (placement.machine.size() != call.ranks) {
    return fail("the call has {} ranks, their placement has {}", call.ranks, placement.machine.size());
  }
  return make_checked(*checked, placement, options);
}

Result<std::shared_ptr<const LoadedAlgorithm>> load_algorithm(std::string_view name) {
  if (name.starts_with(file_prefix)) return load_file(name.substr(file_prefix.size()));
  if (!name.starts_with(library_prefix)) {
    return with_hint(fail("'{}' names neither a file nor a library", name), "file:F or library:L.so:NAME");
  }
  const std::string_view rest = name.substr(library_prefix.size());
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos) return load_library(rest, "");
  return load_library(rest.substr(0, colon), rest.substr(colon + 1));
}

Result<SchedulePtr> make_named_schedule(std::string_view algorithm, const CollectiveCall& call,
                                        const Placement& placement, const AlgorithmOptions& options) {
  if (!names_loaded_algorithm(algorithm)) return make_schedule(algorithm, call, placement, options);
  const auto loaded = load_algorithm(algorithm);
  if (!loaded) return Failure(loaded.error());
  auto made = (*loaded)->make(call, placement, options);
  if (!made) return Failure(made.error());
  if (made->schedule == nullptr) return fail("{} makes no such schedule: {}", algorithm, made->reason);
  return std::move(made->schedule);
}

}  // namespace ayatori
