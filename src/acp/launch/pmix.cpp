#include "exchange.hpp"

#ifdef AYATORI_PMIX

#include <dlfcn.h>
#include <pmix.h>

#include <string_view>

namespace ayatori::launch {

namespace {

/// Functions of libpmix.so.2, as far as they are needed.
struct Pmix {
  void* library = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
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
    return library ? reinterpret_cast<Function>(dlsym(library, name)) : nullptr;
  }
};

std::optional<std::uint64_t> share(const Pmix& pmix, const pmix_proc_t& self, Rank rank, std::uint64_t number) {
  if (rank == 0) {
    pmix_value_t value{};
    value.type = PMIX_UINT64;
    value.data.uint64 = number;
    if (pmix.put(PMIX_GLOBAL, name_of_number, &value) != PMIX_SUCCESS || pmix.commit() != PMIX_SUCCESS)
      return std::nullopt;
  }
  pmix_info_t collect{};
  std::string_view(PMIX_COLLECT_DATA).copy(collect.key, sizeof collect.key - 1);
  collect.value.type = PMIX_BOOL;
  collect.value.data.flag = true;
  if (pmix.fence(nullptr, 0, &collect, 1) != PMIX_SUCCESS) return std::nullopt;
  pmix_proc_t first = self;
  first.rank = 0;
  pmix_value_t* found = nullptr;
  if (pmix.get(&first, name_of_number, nullptr, 0, &found) != PMIX_SUCCESS || !found) return std::nullopt;
  const auto shared = found->type == PMIX_UINT64 ? std::optional(found->data.uint64) : std::nullopt;
  std::free(found);  // NOLINT: what PMIx gives is malloc's
  return shared;
}

std::optional<std::uint32_t> hosts_of_job(const Pmix& pmix, pmix_proc_t job) {
  job.rank = PMIX_RANK_WILDCARD;
  pmix_value_t* found = nullptr;
  if (pmix.get(&job, PMIX_NUM_NODES, nullptr, 0, &found) != PMIX_SUCCESS || !found) return std::nullopt;
  const auto hosts = found->type == PMIX_UINT32 ? std::optional(found->data.uint32) : std::nullopt;
  std::free(found);  // NOLINT: as above
  return hosts;
}

}  // namespace

std::optional<OverPmix> share_over_pmix(Rank rank, std::uint64_t number) {
  // Never unloaded: its threads may outlive the last call.
  static const Pmix pmix;
  pmix_proc_t self{};
  if (!pmix.whole() || pmix.init(&self, nullptr, 0) != PMIX_SUCCESS) return std::nullopt;
  const auto shared = share(pmix, self, rank, number);
  const auto hosts = hosts_of_job(pmix, self);
  pmix.finalize(nullptr, 0);
  if (!shared) return std::nullopt;
  return OverPmix{.number = *shared, .hosts = hosts};
}

}  // namespace ayatori::launch

#else

namespace ayatori::launch {

std::optional<OverPmix> share_over_pmix(Rank, std::uint64_t) { return std::nullopt; }

}  // namespace ayatori::launch

#endif
