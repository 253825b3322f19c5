#include "library_algorithm.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <vector>

#include "schedule_recorder.hpp"

namespace ayatori {

namespace {

using MakeSchedule = int (*)(const ayatori_call*, ayatori_schedule*);

constexpr const char* function_name = "ayatori_make_schedule";
/// Of an alltoallv: the sizes of all pairs are handed over as a table.
constexpr Rank max_ranks_of_pairs = 4096;

/// A call as the library sees it. Holds what its pointers point to.
class CallForLibrary {
 public:
  CallForLibrary(const CollectiveCall& call, const std::string& algorithm, const Placement& placement,
                 const AlgorithmOptions& options)
      : collective_(to_word(call.collective)), periodic_(placement.periodic.begin(), placement.periodic.end()) {
    if (call.collective == Collective::alltoallv) list_pairs(options.pair_sizes);
    call_.version = AYATORI_ALGORITHM_VERSION;
    call_.ranks = call.ranks;
    call_.root = has_root(call.collective) ? call.root : 0;
    call_.machines = placement.machine_count();
    call_.dimensions = static_cast<std::uint32_t>(placement.dimensions.size());
    call_.collective = collective_.c_str();
    call_.algorithm = algorithm.c_str();
    call_.bytes = call.collective == Collective::barrier ? 0 : call.bytes;
    call_.chunk_bytes = options.chunk_bytes;
    call_.pair_bytes = pairs_.empty() ? nullptr : pairs_.data();
    call_.machine = placement.machine.data();
    call_.group = placement.group.data();
    call_.lengths = placement.dimensions.data();
    call_.periodic = periodic_.data();
    call_.point = placement.point.data();
  }

  [[nodiscard]] const ayatori_call* get() const { return &call_; }

 private:
  void list_pairs(const PairSizes& sizes) {
    for (Rank from = 0; from < sizes.ranks; ++from) {
      for (Rank to = 0; to < sizes.ranks; ++to) pairs_.push_back(sizes.bytes(from, to));
    }
  }

  std::string collective_;
  std::vector<std::uint8_t> periodic_;
  std::vector<std::uint64_t> pairs_;
  ayatori_call call_{};
};

class LibraryAlgorithm final : public LoadedAlgorithm {
 public:
  LibraryAlgorithm(std::string file, std::string name, MakeSchedule function)
      : file_(std::move(file)), name_(std::move(name)), make_(function) {}

  [[nodiscard]] bool takes_chunks() const override { return true; }

 private:
  [[nodiscard]] Result<LoadedSchedule> make_checked(const CollectiveCall& call, const Placement& placement,
                                                    const AlgorithmOptions& options) const override {
    if (call.collective == Collective::halo) return LoadedSchedule{nullptr, "libraries make no halo"};
    if (call.collective == Collective::alltoallv && call.ranks > max_ranks_of_pairs) {
      return LoadedSchedule{nullptr, fmt::format("an alltoallv of more than {} ranks", max_ranks_of_pairs)};
    }
    const CallForLibrary wanted(call, name_, placement, options);
    ScheduleRecorder recorder(call);
    const int returned = call_library(wanted, recorder);
    const auto written = recorder.finish();
    if (!written) return wrong(written.error());
    if (returned != 0) return LoadedSchedule{nullptr, recorder.refusal().value_or("it does not say why")};
    auto schedule = schedule_of(*written, call, options.pair_sizes);
    if (!schedule) return wrong(schedule.error());
    if (auto right = verify(**schedule, written_limits); !right) return wrong(right.error());
    return LoadedSchedule{std::move(*schedule), {}};
  }

  int call_library(const CallForLibrary& call, ScheduleRecorder& recorder) const {
    const std::lock_guard lock(mutex_);
    return make_(call.get(), &recorder);
  }

  [[nodiscard]] Failure wrong(const Error& error) const {
    return fail("{}{}{}: {}", file_, name_.empty() ? "" : ":", name_, error.message);
  }

  std::string file_;
  std::string name_;
  MakeSchedule make_;
  mutable std::mutex mutex_;  // the library is called by one thread at a time
};

/// dlopen(3) would look for a name without '/' only where the system's libraries are.
std::string path_of(std::string_view file) {
  std::string path(file);
  std::error_code code;
  if (!path.contains('/') && std::filesystem::exists(path, code)) path.insert(0, "./");
  return path;
}

std::string reason_of_loader() {
  const char* reason = dlerror();  // NOLINT(concurrency-mt-unsafe): it is each thread's own
  return reason == nullptr ? "" : reason;
}

}  // namespace

Result<std::shared_ptr<const LoadedAlgorithm>> load_library(std::string_view file, std::string_view name) {
  void* library = dlopen(path_of(file).c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return with_cause(fail("can't load the library {}", file), reason_of_loader());
  void* function = dlsym(library, function_name);
  if (function == nullptr) {
    return with_hint(fail("{} has no function {}", file, function_name),
                     "ayatori_algorithm.h says what such a library defines");
  }
  return std::make_shared<LibraryAlgorithm>(std::string(file), std::string(name),
                                            reinterpret_cast<MakeSchedule>(function));
}

}  // namespace ayatori
