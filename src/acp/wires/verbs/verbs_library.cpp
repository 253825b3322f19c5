// The functions of libibverbs that are called here, those behind its header's inline ones included. Each passes its
// arguments on to that of the library which load_verbs_library() loaded.

#include "verbs_library.hpp"

#include <dlfcn.h>
#include <infiniband/verbs.h>

#include <cerrno>
#include <vector>

namespace {

class Real {
 public:
  /// `version`: whose structures the header has.
  Real(const char* name, const char* version) : name_(name), version_(version) { all().push_back(this); }

  static std::vector<Real*>& all() {
    static std::vector<Real*> functions;
    return functions;
  }

  [[nodiscard]] bool find_in(void* library) {
    found_ = dlvsym(library, name_, version_);
    return found_ != nullptr;
  }

  /// Programs that measure call verbs themselves, before they open a wire; they are linked to the library.
  template <typename Function>
  [[nodiscard]] Function* function() const {
    if (!found_) static_cast<void>(ayatori::wires::load_verbs_library());
    return reinterpret_cast<Function*>(found_);
  }

 private:
  const char* name_;
  const char* version_;
  void* found_ = nullptr;
};

}  // namespace

// Without its parentheses a name would be that of the header's macro.
#define AYATORI_PASSED_ON(version, returned, name, parameters, arguments) \
  static Real real_##name(#name, version);                                \
  extern "C" returned(name) parameters { return real_##name.function<decltype(name)>() arguments; }

AYATORI_PASSED_ON("IBVERBS_1.1", ibv_device**, ibv_get_device_list, (int* count), (count))
AYATORI_PASSED_ON("IBVERBS_1.1", void, ibv_free_device_list, (ibv_device * *list), (list))
AYATORI_PASSED_ON("IBVERBS_1.1", const char*, ibv_get_device_name, (ibv_device * device), (device))
AYATORI_PASSED_ON("IBVERBS_1.1", ibv_context*, ibv_open_device, (ibv_device * device), (device))
AYATORI_PASSED_ON("IBVERBS_1.1", int, ibv_close_device, (ibv_context * context), (context))
AYATORI_PASSED_ON("IBVERBS_1.1", int, ibv_query_device, (ibv_context * context, ibv_device_attr* found),
                  (context, found))
AYATORI_PASSED_ON("IBVERBS_1.1", int, ibv_query_port,
                  (ibv_context * context, uint8_t port, _compat_ibv_port_attr* found), (context, port, found))
AYATORI_PASSED_ON("IBVERBS_1.1", const char*, ibv_port_state_str, (ibv_port_state state), (state))
AYATORI_PASSED_ON("IBVERBS_1.1", int, ibv_query_gid, (ibv_context * context, uint8_t port, int index, ibv_gid* found),
                  (context, port, index, found))
AYATORI_PASSED_ON("IBVERBS_1.11", int, _ibv_query_gid_ex,
                  (ibv_context * context, uint32_t port, uint32_t index, ibv_gid_entry* found, uint32_t flags,
                   size_t bytes),
                  (context, port, index, found, flags, bytes))
AYATORI_PASSED_ON("IBVERBS_1.1", ibv_pd*, ibv_alloc_pd, (ibv_context * context), (context))
AYATORI_PASSED_ON("IBVERBS_1.1", int, ibv_dealloc_pd, (ibv_pd * domain), (domain))
AYATORI_PASSED_ON("IBVERBS_1.1", ibv_mr*, ibv_reg_mr, (ibv_pd * domain, void* start, size_t bytes, int access),
                  (domain, start, bytes, access))
AYATORI_PASSED_ON("IBVERBS_1.1", int, ibv_dereg_mr, (ibv_mr * region), (region))
AYATORI_PASSED_ON("IBVERBS_1.0", ibv_comp_channel*, ibv_create_comp_channel, (ibv_context * context), (context))
AYATORI_PASSED_ON("IBVERBS_1.0", int, ibv_destroy_comp_channel, (ibv_comp_channel * events), (events))
AYATORI_PASSED_ON("IBVERBS_1.1", ibv_cq*, ibv_create_cq,
                  (ibv_context * context, int entries, void* own, ibv_comp_channel* events, int vector),
                  (context, entries, own, events, vector))
AYATORI_PASSED_ON("IBVERBS_1.1", int, ibv_destroy_cq, (ibv_cq * completions), (completions))
AYATORI_PASSED_ON("IBVERBS_1.1", int, ibv_get_cq_event, (ibv_comp_channel * events, ibv_cq** completions, void** own),
                  (events, completions, own))
AYATORI_PASSED_ON("IBVERBS_1.1", void, ibv_ack_cq_events, (ibv_cq * completions, unsigned count), (completions, count))
AYATORI_PASSED_ON("IBVERBS_1.1", ibv_qp*, ibv_create_qp, (ibv_pd * domain, ibv_qp_init_attr* wanted), (domain, wanted))
AYATORI_PASSED_ON("IBVERBS_1.1", int, ibv_modify_qp, (ibv_qp * pair, ibv_qp_attr* wanted, int what),
                  (pair, wanted, what))
AYATORI_PASSED_ON("IBVERBS_1.1", int, ibv_destroy_qp, (ibv_qp * pair), (pair))
AYATORI_PASSED_ON("IBVERBS_1.1", ibv_ah*, ibv_create_ah, (ibv_pd * domain, ibv_ah_attr* wanted), (domain, wanted))
AYATORI_PASSED_ON("IBVERBS_1.1", int, ibv_destroy_ah, (ibv_ah * handle), (handle))
AYATORI_PASSED_ON("IBVERBS_1.1", const char*, ibv_wc_status_str, (ibv_wc_status status), (status))

namespace ayatori::wires {

namespace {

Result<> load() {
  constexpr const char* library = "libibverbs.so.1";
  const auto missing = [&] {
    const char* const why = dlerror();
    return with_hint(with_code(with_cause(fail("{} can't be loaded", library), why ? why : ""), ENOENT),
                     "apt-get install libibverbs1 ibverbs-providers");
  };
  void* const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!loaded) return missing();
  for (Real* const function : Real::all()) {
    if (!function->find_in(loaded)) return missing();
  }
  return {};
}

}  // namespace

Result<> load_verbs_library() {
  static const Result<> loaded = load();
  return loaded;
}

}  // namespace ayatori::wires
