#include "ayatori/joining/adapter_library.hpp"

#include <dlfcn.h>

#include <cerrno>
#include <filesystem>

namespace ayatori::acp {

namespace {

constexpr const char* library = "libacp_verbs.so.0";

/// The path of this library.
std::filesystem::path own_path() {
  Dl_info found{};
  return dladdr(reinterpret_cast<const void*>(&open_adapter), &found) != 0 ? found.dli_fname : "";
}

void* load() {
  if (void* const next_to_us = dlopen((own_path().parent_path() / library).c_str(), RTLD_NOW | RTLD_LOCAL))
    return next_to_us;
  return dlopen(library, RTLD_NOW | RTLD_LOCAL);
}

/// A function of the library, which is loaded for it.
template <typename Function>
Result<Function*> function(const char* called) {
  void* const loaded = load();
  if (!loaded) {
    const char* const why = dlerror();
    return with_hint(with_code(with_cause(fail("{} can't be loaded", library), why ? why : ""), ENOENT),
                     "libacp is built with it where libibverbs-dev is installed");
  }
  auto* const found = reinterpret_cast<Function*>(dlsym(loaded, called));
  if (!found) return fail("{} has no function {}", library, called);
  return found;
}

}  // namespace

wires::AdapterWire open_adapter(const wires::AdapterSettings& settings) {
  const auto open = function<wires::OpenAdapterWire>(wires::open_adapter_wire);
  if (!open) return Failure(open.error());
  wires::AdapterWire made;
  (*open)(settings, made);
  return made;
}

Result<wires::AdapterMemory> adapter_memory() {
  const auto find = function<wires::FindAdapterMemory>(wires::find_adapter_memory);
  if (!find) return Failure(find.error());
  wires::AdapterMemory found;
  (*find)(found);
  return found;
}

}  // namespace ayatori::acp
