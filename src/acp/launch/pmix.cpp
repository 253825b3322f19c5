#include "exchange.hpp"

#ifdef AYATORI_PMIX

#include <dlfcn.h>
#include <pmix.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "ayatori/base/text.hpp"

namespace ayatori::launch {

namespace {

/// Open MPI 4 may have a PMIx inside of its own libraries, whose functions then have such names.
constexpr const char* renamed_by_open_mpi = "OPAL_MCA_PMIX3X_";

struct FoundPmix {
  void* library = nullptr;
  const char* prefix = "";
};

/// A PMIx that is in this process already: a second one would share some of its variables, as the loader makes one of
/// those that have the same name, and wait for ever.
FoundPmix find_pmix() {
  for (const char* prefix : {"", renamed_by_open_mpi}) {
    if (void* const library = loaded_with((std::string(prefix) + "PMIx_Init").c_str())) return {library, prefix};
  }
  return FoundPmix{.library = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL)};
}

/// The functions that are needed. Their arguments are the same in PMIx 3 to 6.
struct Pmix {
  FoundPmix found = find_pmix();
  decltype(&PMIx_Init) init = find<decltype(&PMIx_Init)>("PMIx_Init");
  decltype(&PMIx_Put) put = find<decltype(&PMIx_Put)>("PMIx_Put");
  decltype(&PMIx_Commit) commit = find<decltype(&PMIx_Commit)>("PMIx_Commit");
  decltype(&PMIx_Fence) fence = find<decltype(&PMIx_Fence)>("PMIx_Fence");
  decltype(&PMIx_Get) get = find<decltype(&PMIx_Get)>("PMIx_Get");
  decltype(&PMIx_Finalize) finalize = find<decltype(&PMIx_Finalize)>("PMIx_Finalize");

  [[nodiscard]] bool whole() const { return init && put && commit && fence && get && finalize; }

 private:
  template <typename Function>
  Function find(const char* name) const {
    if (!found.library) return nullptr;
    return reinterpret_cast<Function>(dlsym(found.library, (std::string(found.prefix) + name).c_str()));
  }
};

pmix_value_t text_value(std::string& text) {
  pmix_value_t value{};
  value.type = PMIX_STRING;
  value.data.string = text.data();
  return value;
}

/// The libraries' threads may outlive the last call, so it is never unloaded.
const Pmix& pmix() {
  static const Pmix loaded;
  return loaded;
}

class PmixLauncher final : public Launcher {
 public:
  explicit PmixLauncher(const pmix_proc_t& self) : self_(self) {}
  ~PmixLauncher() override { leave(); }

  bool put(const char* name, std::string text) {
    pmix_value_t value = text_value(text);
    return pmix().put(PMIX_GLOBAL, name, &value) == PMIX_SUCCESS && pmix().commit() == PMIX_SUCCESS;
  }

  /// `collect`: what was put is sent to the servers of all hosts. Otherwise it is fetched from that of the process that
  /// has put it, when somebody asks.
  static bool meet(bool collect) {
    pmix_info_t info{};
    std::string_view(PMIX_COLLECT_DATA).copy(info.key, sizeof info.key - 1);
    info.value.type = PMIX_BOOL;
    info.value.data.flag = collect;
    return pmix().fence(nullptr, 0, &info, 1) == PMIX_SUCCESS;
  }

  std::optional<std::string> get(pmix_rank_t rank, const char* name) const {
    pmix_proc_t whose = self_;
    whose.rank = rank;
    pmix_value_t* found = nullptr;
    if (pmix().get(&whose, name, nullptr, 0, &found) != PMIX_SUCCESS || !found) return std::nullopt;
    std::optional<std::string> text;
    if (found->type == PMIX_STRING) {
      text = found->data.string;
      std::free(found->data.string);  // NOLINT: PMIx allocates by malloc
    }
    std::free(found);  // NOLINT: as above
    return text;
  }

  Result<> publish(std::span<const std::byte> bytes) override {
    const auto give = [&](bool is_mine) { return !is_mine || put(name_of_published().c_str(), hex_of(bytes)); };
    const bool is_first = placement.rank == 0;
    // Servers have the secret of rank 0, and some take it for all that rank 0 has put: its address goes to all, too.
    if (give(is_first) && meet(true) && give(!is_first) && meet(false)) return {};
    return fail("the PMIx server does not pass addresses on");
  }

  Result<std::vector<std::byte>> published(Rank rank) override {
    const auto text = get(rank, name_of_published().c_str());
    auto bytes = bytes_of(text.value_or(""));
    if (!bytes || bytes->empty()) return fail("the PMIx server has no address of rank {}", rank);
    return std::move(*bytes);
  }

  void leave() override {
    if (!std::exchange(left_, true)) pmix().finalize(nullptr, 0);
  }

 private:
  /// Another one in each program that the same processes execute.
  [[nodiscard]] std::string name_of_published() const {
    return fmt::format("{}-{:016x}", published_name, placement.job_key);
  }

  pmix_proc_t self_;
  bool left_ = false;
};

bool share_secret(PmixLauncher& launcher, const MakeSecret& random) {
  if (launcher.placement.rank == 0) {
    const auto made = random();
    if (!made || !launcher.put(secret_name, text_of(*made))) return false;
  }
  // One value for all. An earlier program of the same processes may have put another one.
  if (!PmixLauncher::meet(true)) return false;
  const auto secret = parse_secret(launcher.get(0, secret_name).value_or(""));
  if (!secret) return false;
  set_secret(launcher.placement, *secret);
  return true;
}

/// Takes the ranks of this host, "0,1,2", as the server lists them, in any order.
Result<> take_peers(Placement& placement, std::string_view listed) {
  std::vector<Rank> peers;
  for (const std::string_view word : split(listed, ',')) {
    const auto rank = parse_unsigned<Rank>(word);
    if (!rank) return fail("the PMIx server lists the ranks of a host as '{}'", listed);
    peers.push_back(*rank);
  }
  std::ranges::sort(peers);
  if (peers.size() != placement.ranks_on_host || !std::ranges::binary_search(peers, placement.rank)) {
    return fail("the host of rank {} has {} ranks, and '{}' for the PMIx server", placement.rank,
                placement.ranks_on_host, listed);
  }
  placement.first_on_host = peers.front();
  placement.scattered.clear();
  if (peers.back() - peers.front() != peers.size() - 1) placement.scattered = std::move(peers);
  return {};
}

}  // namespace

Result<std::unique_ptr<Launcher>> join_pmix(const Placement& placement, const MakeSecret& random) {
  pmix_proc_t self{};
  if (!pmix().whole() || pmix().init(&self, nullptr, 0) != PMIX_SUCCESS) return nullptr;
  auto made = std::make_unique<PmixLauncher>(self);
  made->placement = placement;
  const auto peers = made->get(PMIX_RANK_WILDCARD, PMIX_LOCAL_PEERS);
  if (peers) {
    if (auto taken = take_peers(made->placement, *peers); !taken) return Failure(taken.error());
  } else if (!placement.scattered.empty()) {
    return nullptr;
  }
  if (!share_secret(*made, random)) return nullptr;
  return made;
}

}  // namespace ayatori::launch

#else

namespace ayatori::launch {

Result<std::unique_ptr<Launcher>> join_pmix(const Placement&, const MakeSecret&) { return nullptr; }

}  // namespace ayatori::launch

#endif
