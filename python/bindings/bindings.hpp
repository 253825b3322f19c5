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
#include <filesystem>
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

/// A member of a record, by its name in Python.
template <typename Record, typename Value>
struct Named {
  const char* name;
  Value Record::* member;

  /// What it is set to; None, too, if it is optional.
  [[nodiscard]] static auto argument(const char* called = nullptr) {
    if constexpr (requires(Value value) { value.has_value(); }) {
      return nb::arg(called).none();
    } else {
      return nb::arg(called);
    }
  }
};
template <typename Record, typename Value>
Named(const char*, Value Record::*) -> Named<Record, Value>;

/// Python reads these members.
template <typename Record, typename... Values>
nb::class_<Record> readable(nb::class_<Record> bound, Named<Record, Values>... members) {
  (bound.def_ro(members.name, members.member), ...);
  return bound;
}

/// Python makes a record of all of its members, in this order, and reads them.
template <typename Record, typename... Values>
nb::class_<Record> constructible(nb::class_<Record> bound, Named<Record, Values>... members) {
  bound.def(nb::init<Values...>(), members.argument(members.name)...);
  return readable(bound, members...);
}

/// Python makes a record of defaults, and reads and sets these members.
template <typename Record, typename... Values>
nb::class_<Record> settable(nb::class_<Record> bound, Named<Record, Values>... members) {
  bound.def(nb::init<>());
  (bound.def_rw(members.name, members.member, members.argument()), ...);
  return bound;
}

using WithoutGil = nb::call_guard<nb::gil_scoped_release>;

/// What reads a kind of file, and what writes it.
template <typename File>
void bind_file(nb::module_& module, const char* read_name, Result<File> (*read)(const std::filesystem::path&),
               const char* write_name, Result<> (*write)(const File&, const std::filesystem::path&)) {
  module.def(read_name, [read](const std::string& path) { return unwrap(read(path)); }, WithoutGil(), nb::arg("path"));
  module.def(
      write_name, [write](const File& file, const std::string& path) { unwrap(write(file, path)); }, WithoutGil(),
      nb::arg("file"), nb::arg("path"));
}

void bind_network(nb::module_& module);
void bind_roce(nb::module_& module);
void bind_sources(nb::module_& module);
void bind_schedule(nb::module_& module);
void bind_routing(nb::module_& module);
void bind_planning(nb::module_& module);
void bind_executor(nb::module_& module);
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
