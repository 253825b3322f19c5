#include "adapter_library.hpp"

#include <dlfcn.h>

#include <cerrno>
#include <filesystem>

namespace ayatori::acp {

namespace {

/// The path of this library.
std::filesystem::path own_path() {
  Dl_info found{};
  return dladdr(reinterpret_cast<const void*>(&open_adapter), &found) != 0 ? found.dli_fname : "";
}

void* load(const std::string& name) {
  if (void* const beside = dlopen((own_path().parent_path() / name).c_str(), RTLD_NOW | RTLD_LOCAL)) return beside;
  return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// A function of a library, which is loaded for it.
template <typename Function>
Result<Function*> function(std::string_view library, const char* called) {
  const std::string name = fmt::format("lib{}.so.0", library);
  void* const loaded = load(name);
  if (!loaded) {
    const char* const why = dlerror();
    return with_hint(with_code(with_cause(fail("{} can't be loaded", name), why ? why : ""), ENOENT),
                     "libacp is built with it where libibverbs-dev, or libfabric-dev, is installed");
  }
  auto* const found = reinterpret_cast<Function*>(dlsym(loaded, called));
  if (!found) return fail("{} has no function {}", name, called);
  return found;
}

}  // namespace

wires::AdapterWire open_adapter(std::string_view library, const wires::AdapterSettings& settings) {
  const auto open = function<wires::OpenAdapterWire>(library, wires::open_adapter_wire);
  if (!open) return Failure(open.error());
  wires::AdapterWire made;
  (*open)(settings, made);
  return made;
}

Result<wires::AdapterMemory> adapter_memory(std::string_view library, const wires::LookupOptions& lookup) {
  const auto find = function<wires::FindAdapterMemory>(library, wires::find_adapter_memory);
  if (!find) return Failure(find.error());
  wires::AdapterMemory found;
  (*find)(lookup, found);
  return found;
}

}  // namespace ayatori::acp
