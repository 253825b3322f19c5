#pragma once
/// \file
/// What all binding files share: how results become Python values or exceptions.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "ayatori/base/error.hpp"

namespace ayatori::python {

namespace nb = nanobind;

/// Carries an Error through nanobind; becomes ayatori.base.errors.Error there.
struct Raised : std::exception {
  explicit Raised(Error what) : error(std::move(what)) {}
  [[nodiscard]] const char* what() const noexcept override { return error.message.c_str(); }
  Error error;
};

template <typename T>
T unwrap(Result<T> result) {
  if (!result) throw Raised(std::move(result.error()));
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// Names come from devices and files and may hold any bytes; Python gets a replacement character for broken ones.
inline nb::str text(std::string_view bytes) {
  PyObject* decoded = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace");
  if (decoded == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(decoded);
}

/// A list of such texts.
inline nb::list texts(std::span<const std::string> lines) {
  nb::list found;
  for (const std::string& line : lines) found.append(text(line));
  return found;
}

/// "1 host", "3 hosts".
inline std::string counted(std::uint64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

/// To be registered by each module: a Raised becomes ayatori.base.errors.Error.
void raise_in_python(const std::exception_ptr& thrown, void*);

using WithoutGil = nb::call_guard<nb::gil_scoped_release>;

void bind_network(nb::module_& module);
void bind_roce(nb::module_& module);
void bind_sources(nb::module_& module);
void bind_schedule(nb::module_& module);
void bind_routing(nb::module_& module);
void bind_planning(nb::module_& module);
void bind_player(nb::module_& module);
void bind_drawing(nb::module_& module);
void bind_artefacts(nb::module_& module);
void bind_loaded(nb::module_& module);
void bind_exports(nb::module_& module);
void bind_topology(nb::module_& module);
void bind_flow(nb::module_& module);
void bind_transport(nb::module_& module);
void bind_acp(nb::module_& module);
void bind_delays(nb::module_& module);

}  // namespace ayatori::python
