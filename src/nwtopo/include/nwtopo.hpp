/// \file
/// nwtopo for C++17: nwtopo.h with RAII, ranges and exceptions. Header only; link with -lnwtopo.
///
///     nwtopo::Topology topology({"torus:4x6x16"});
///     for (nwtopo_obj_t machine : topology.machines()) {
///       for (const nwtopo_link& link : topology.links(machine)) { ... }
///     }
///
/// Ownership. Objects are those of nwtopo.h, and belong to the topology.
/// Errors. A function returns nullptr or nothing for an unknown name, or a neighbor beyond the edge of a mesh. Other
/// failures throw nwtopo::Error, or std::invalid_argument for invalid arguments.
/// Threads. As in nwtopo.h: any number of threads may use a const Topology.
#ifndef NWTOPO_HPP
#define NWTOPO_HPP

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "nwtopo.h"

namespace nwtopo {

/// The error message in one line (nwtopo_error_message), and the errno.
class Error : public std::runtime_error {
 public:
  explicit Error(int code, const char* message = nwtopo_error_message()) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] int code() const { return code_; }

 private:
  int code_;
};

/// The source of a topology, and what to leave out. Defaults: those of nwtopo_topology_load().
struct Options {
  std::optional<std::string> source = std::nullopt;
  unsigned long flags = 0;  ///< nwtopo_topology_flags_e
  std::optional<std::string> this_machine = std::nullopt;
  std::optional<std::string> faults = std::nullopt;
  std::optional<std::string> tables = std::nullopt;        ///< a file of forwarding tables, for routed_path()
  std::optional<std::string> host_pattern = std::nullopt;  ///< nwtopo_topology_set_host_pattern()
  std::optional<std::string> aliases = std::nullopt;       ///< a file of other names: nwtopo_topology_set_aliases()
};

namespace detail {

/// errno is read before the message is copied, which may change it.
[[noreturn]] inline void raise() {
  const int code = errno;
  throw Error(code);
}

template <typename Number>
Number checked(Number result) {
  if (result == static_cast<Number>(-1)) raise();
  return result;
}

template <typename T>
T* checked(T* pointer) {
  if (pointer == nullptr) raise();
  return pointer;
}

template <typename T>
T* or_none(T* pointer) {
  if (pointer == nullptr && errno != ENOENT) raise();
  return pointer;
}

/// Calls fill(0, nullptr) for the number of results, then fill(number, array) for all of them.
template <typename Item, typename Fill>
std::vector<Item> all(Fill fill) {
  std::vector<Item> items(static_cast<std::size_t>(checked(fill(0U, static_cast<Item*>(nullptr)))));
  if (!items.empty()) checked(fill(static_cast<unsigned>(items.size()), items.data()));
  return items;
}

inline const char* text(const std::optional<std::string>& value) { return value ? value->c_str() : nullptr; }

}  // namespace detail

/// One difference of two topologies (struct nwtopo_diff).
struct Difference {
  nwtopo_diff_type_t type = NWTOPO_DIFF_CHANGED;
  bool is_link = false;  ///< a cable; otherwise an object
  std::string name;      ///< "LS1", or "LS1 port 8 - RS2 port 2"
  std::string detail;    ///< of a change: "4xHDR -> 4xNDR"
};

/// A range of items 0 ... size() - 1, made on access. Its topology and it must outlive its iterators.
template <typename Get>
class Range {
 public:
  using value_type = decltype(std::declval<const Get&>()(0UL));

  /// An item lives until its iterator goes on or ends.
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Range::value_type;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type*;
    using reference = const value_type&;

    iterator(const Range* range, unsigned long index) : range_(range), index_(index) {}
    reference operator*() const {
      if (!item_) item_.emplace((*range_)[index_]);
      return *item_;
    }
    pointer operator->() const { return &**this; }
    iterator& operator++() {
      ++index_;
      item_.reset();
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) { return a.index_ == b.index_; }
    friend bool operator!=(const iterator& a, const iterator& b) { return a.index_ != b.index_; }

   private:
    const Range* range_;
    unsigned long index_;
    mutable std::optional<value_type> item_;
  };

  Range(unsigned long count, Get get) : count_(count), get_(std::move(get)) {}
  [[nodiscard]] iterator begin() const { return {this, 0}; }
  [[nodiscard]] iterator end() const { return {this, count_}; }
  [[nodiscard]] unsigned long size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  value_type operator[](unsigned long index) const { return get_(index); }

 private:
  unsigned long count_;
  Get get_;
};

/// A loaded topology. A moved-from object may be assigned to and destroyed; all else throws Error (EINVAL).
class Topology {
 public:
  /// Loads it.
  explicit Topology(const Options& options = {}) : Topology(Empty{}, options.flags) {
    detail::checked(nwtopo_topology_set_source(handle_, detail::text(options.source)));
    prepare(options);
    detail::checked(nwtopo_topology_load(handle_));
  }

  /// Loads the bytes of export_buffer() of this process or another; `options.source` and `tables` are ignored.
  static Topology from_buffer(const void* bytes, std::size_t size, Options options = {}) {
    Topology made(Empty{}, options.flags);
    detail::checked(nwtopo_topology_set_buffer(made.handle_, bytes, size));
    options.tables.reset();
    made.prepare(options);
    detail::checked(nwtopo_topology_load(made.handle_));
    return made;
  }

  Topology(Topology&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Topology& operator=(Topology&& other) noexcept {
    Topology taken(std::move(other));
    std::swap(handle_, taken.handle_);
    return *this;
  }
  ~Topology() { nwtopo_topology_destroy(handle_); }

  /// The C handle, which this object owns, for functions without a wrapper. NULL once it was moved from.
  [[nodiscard]] nwtopo_topology_t get() const { return handle_; }

  /// These machines and the network between them (nwtopo_topology_shrink).
  [[nodiscard]] Topology shrink(std::vector<nwtopo_obj_t> machines, unsigned long flags = 0) const {
    Topology made(Empty{}, flags);
    const auto count = static_cast<unsigned>(machines.size());
    nwtopo_obj_t none = nullptr;
    detail::checked(nwtopo_topology_shrink(made.handle_, handle(), count, count == 0 ? &none : machines.data()));
    return made;
  }

  /// Warnings, one line each: parts of the source that could not be read and were skipped.
  [[nodiscard]] std::vector<std::string> warnings() const {
    std::vector<std::string> found(nwtopo_topology_get_num_warnings(handle()));
    for (unsigned i = 0; i < found.size(); ++i) found[i] = detail::checked(nwtopo_topology_get_warning(handle(), i));
    return found;
  }

  // Objects

  [[nodiscard]] unsigned max_height() const { return nwtopo_topology_get_max_height(handle()); }
  [[nodiscard]] nwtopo_obj_t this_machine() const {
    return detail::checked(nwtopo_topology_get_this_machine(handle()));
  }
  [[nodiscard]] nwtopo_obj_t object_by_id(unsigned long id) const {
    return detail::checked(nwtopo_topology_get_object_by_id(handle(), id));
  }
  [[nodiscard]] nwtopo_obj_t object_by_name(const std::string& name) const {
    return detail::or_none(nwtopo_topology_get_object_by_name(handle(), name.c_str()));
  }
  /// The router with a GUID, or the machine with a NIC that has it.
  [[nodiscard]] nwtopo_obj_t object_by_guid(std::uint64_t guid) const {
    return detail::or_none(nwtopo_topology_get_object_by_guid(handle(), guid));
  }
  [[nodiscard]] nwtopo_obj_t root() const { return detail::or_none(nwtopo_topology_get_root(handle())); }

  /// Objects of one height by rising id.
  [[nodiscard]] auto objects(unsigned height) const {
    return range(nwtopo_topology_get_num_objects(handle(), height), [handle = handle(), height](unsigned long index) {
      return detail::checked(nwtopo_topology_get_object(handle, height, index));
    });
  }
  /// In network order.
  [[nodiscard]] auto machines() const { return objects(0); }
  /// Parents in this topology by rising id.
  [[nodiscard]] auto parents(nwtopo_obj_t object) const {
    return range(of(object)->num_parents, [handle = handle(), object](unsigned long index) {
      return detail::checked(nwtopo_obj_get_parent(handle, object, static_cast<unsigned>(index)));
    });
  }
  /// Children by rising id.
  [[nodiscard]] auto children(nwtopo_obj_t object) const {
    return range(of(object)->num_children, [handle = handle(), object](unsigned long index) {
      return detail::checked(nwtopo_obj_get_child(handle, object, index));
    });
  }
  [[nodiscard]] std::vector<nwtopo_obj_t> machines_under(nwtopo_obj_t object) const {
    return detail::all<nwtopo_obj_t>(
        [&](unsigned most, nwtopo_obj_t* to) { return nwtopo_get_machines_under(handle(), object, most, to); });
  }

  // Grids

  [[nodiscard]] std::vector<int> coords(nwtopo_obj_t grid, nwtopo_obj_t object) const {
    std::vector<int> found(num_dimensions(grid));
    detail::checked(nwtopo_grid_get_coords(handle(), grid, object, found.data()));
    return found;
  }
  /// nullptr where the grid has a hole.
  [[nodiscard]] nwtopo_obj_t at(nwtopo_obj_t grid, std::vector<int> coords) const {
    expect_dimensions(grid, coords);
    nwtopo_obj_t found = nullptr;
    if (nwtopo_grid_get_obj(handle(), grid, coords.data(), &found) != 0) expect_none();
    return found;
  }
  /// nullptr beyond the edge of a mesh, or in a hole.
  [[nodiscard]] nwtopo_obj_t shifted(nwtopo_obj_t grid, nwtopo_obj_t base, std::vector<int> shifts) const {
    expect_dimensions(grid, shifts);
    nwtopo_obj_t found = nullptr;
    if (nwtopo_grid_get_shifted_obj(handle(), grid, base, shifts.data(), &found) != 0) expect_none();
    return found;
  }
  /// Likewise along one dimension.
  [[nodiscard]] nwtopo_obj_t neighbor(nwtopo_obj_t grid, nwtopo_obj_t base, unsigned direction, int shift) const {
    nwtopo_obj_t found = nullptr;
    if (nwtopo_grid_get_neighbor_obj(handle(), grid, base, direction, shift, &found) != 0) expect_none();
    return found;
  }

  // Links

  [[nodiscard]] auto links(nwtopo_obj_t object) const {
    const long count = detail::checked(nwtopo_obj_get_num_links(handle(), object));
    return range(static_cast<unsigned long>(count), [handle = handle(), object](unsigned long index) {
      nwtopo_link link{};
      detail::checked(nwtopo_obj_get_link(handle, object, index, &link));
      return link;
    });
  }
  /// Network adapters of a machine.
  [[nodiscard]] auto nics(nwtopo_obj_t machine) const {
    if (machine == nullptr || machine->type != NWTOPO_OBJ_MACHINE) {
      throw std::invalid_argument("the object is not a machine");
    }
    return range(machine->attr->machine.num_nics, [handle = handle(), machine](unsigned long index) {
      nwtopo_nic nic{};
      detail::checked(nwtopo_obj_get_nic(handle, machine, static_cast<unsigned>(index), &nic));
      return nic;
    });
  }
  [[nodiscard]] std::optional<nwtopo_nic> nic_by_guid(std::uint64_t guid) const {
    nwtopo_nic found{};
    if (nwtopo_topology_get_nic_by_guid(handle(), guid, &found) == 0) return found;
    expect_none();
    return std::nullopt;
  }
  [[nodiscard]] auto planes() const {
    return range(nwtopo_topology_get_num_planes(handle()), [handle = handle()](unsigned long index) {
      return std::string(detail::checked(nwtopo_topology_get_plane_name(handle, static_cast<unsigned>(index))));
    });
  }

  // Queries

  /// Nothing where there is no path.
  [[nodiscard]] std::optional<long> hops(nwtopo_obj_t from, nwtopo_obj_t to) const {
    const long count = nwtopo_get_hops(handle(), from, to);
    if (count >= 0) return count;
    expect_none();
    return std::nullopt;
  }
  /// From one NIC to another; nothing where there is no path.
  [[nodiscard]] std::optional<long> nic_hops(const nwtopo_nic& from, const nwtopo_nic& to) const {
    const long count = nwtopo_get_nic_hops(handle(), from.machine, from.index, to.machine, to.index);
    if (count >= 0) return count;
    expect_none();
    return std::nullopt;
  }
  /// The nearest NIC of `to` for a message that leaves by `from`; nothing where none can be reached.
  [[nodiscard]] std::optional<nwtopo_nic> nearest_nic(const nwtopo_nic& from, nwtopo_obj_t to) const {
    nwtopo_nic found{};
    if (nwtopo_get_nearest_nic(handle(), from.machine, from.index, to, &found) == 0) return found;
    expect_none();
    return std::nullopt;
  }
  /// Row-major, NWTOPO_UNREACHABLE where there is no path.
  [[nodiscard]] std::vector<unsigned> distances(std::vector<nwtopo_obj_t> objects) const {
    std::vector<unsigned> matrix(objects.size() * objects.size());
    const auto count = static_cast<unsigned>(objects.size());
    detail::checked(nwtopo_get_distances(handle(), count, objects.data(), matrix.data()));
    return matrix;
  }
  [[nodiscard]] unsigned long num_routes(nwtopo_obj_t from, nwtopo_obj_t to) const {
    errno = 0;
    const unsigned long count = nwtopo_get_num_routes(handle(), from, to);
    if (count == 0 && errno != ENOENT) detail::raise();
    return count;
  }
  [[nodiscard]] std::vector<nwtopo_link> route(nwtopo_obj_t from, nwtopo_obj_t to, unsigned long which = 0) const {
    return detail::all<nwtopo_link>(
        [&](unsigned most, nwtopo_link* links) { return nwtopo_get_route(handle(), from, to, which, most, links); });
  }
  [[nodiscard]] std::vector<nwtopo_link> routed_path(nwtopo_obj_t from, nwtopo_obj_t to, unsigned path = 0) const {
    return detail::all<nwtopo_link>([&](unsigned most, nwtopo_link* links) {
      return nwtopo_get_routed_path(handle(), from, to, path, most, links);
    });
  }
  [[nodiscard]] std::vector<nwtopo_obj_t> common_ancestors(nwtopo_obj_t a, nwtopo_obj_t b) const {
    return detail::all<nwtopo_obj_t>(
        [&](unsigned most, nwtopo_obj_t* to) { return nwtopo_get_common_ancestors(handle(), a, b, most, to); });
  }
  [[nodiscard]] std::vector<nwtopo_obj_t> nearest_machines(nwtopo_obj_t from, unsigned count) const {
    std::vector<nwtopo_obj_t> found(count);
    const long number = detail::checked(nwtopo_get_nearest_machines(handle(), from, count, found.data()));
    found.resize(static_cast<std::size_t>(number));
    return found;
  }
  [[nodiscard]] nwtopo_cut cut(std::vector<nwtopo_obj_t> a, std::vector<nwtopo_obj_t> b) const {
    nwtopo_cut narrowest{};
    detail::checked(nwtopo_get_cut(handle(), static_cast<unsigned>(a.size()), a.data(), static_cast<unsigned>(b.size()),
                                   b.data(), &narrowest));
    return narrowest;
  }

  // The whole

  void export_file(const std::string& format, const std::string& path) const {
    detail::checked(nwtopo_topology_export_file(handle(), format.c_str(), path.c_str()));
  }
  /// The bytes that from_buffer() takes.
  [[nodiscard]] std::vector<unsigned char> export_buffer() const {
    void* bytes = nullptr;
    std::size_t size = 0;
    detail::checked(nwtopo_topology_export_buffer(handle(), &bytes, &size));
    const std::unique_ptr<void, void (*)(void*)> kept(bytes, nwtopo_buffer_free);
    const auto* const first = static_cast<const unsigned char*>(bytes);
    return {first, first + size};
  }
  /// The differences from this topology to `after`; objects are matched by name.
  [[nodiscard]] std::vector<Difference> diff(const Topology& after) const {
    nwtopo_diff* diffs = nullptr;
    const auto count =
        static_cast<std::size_t>(detail::checked(nwtopo_topology_diff(handle(), after.handle(), &diffs)));
    const std::unique_ptr<nwtopo_diff, void (*)(nwtopo_diff*)> kept(diffs, nwtopo_diff_free);
    std::vector<Difference> found;
    for (std::size_t i = 0; i < count; ++i) {
      found.push_back({diffs[i].type, diffs[i].is_link, diffs[i].name, diffs[i].detail});
    }
    return found;
  }
  [[nodiscard]] std::string source() const {
    const char* const text = nwtopo_topology_get_source(handle());
    return text == nullptr ? "" : text;
  }
  [[nodiscard]] nwtopo_memory memory() const {
    nwtopo_memory taken{};
    detail::checked(nwtopo_topology_get_memory(handle(), &taken));
    return taken;
  }

 private:
  struct Empty {};

  Topology(Empty, unsigned long flags) {
    detail::checked(nwtopo_topology_init(&handle_));
    if (nwtopo_topology_set_flags(handle_, flags) == 0) return;
    const Error error(errno);
    nwtopo_topology_destroy(handle_);
    throw error;
  }

  void prepare(const Options& options) {
    detail::checked(nwtopo_topology_set_this_machine(handle_, detail::text(options.this_machine)));
    detail::checked(nwtopo_topology_set_faults(handle_, detail::text(options.faults)));
    detail::checked(nwtopo_topology_set_tables(handle_, detail::text(options.tables)));
    detail::checked(nwtopo_topology_set_host_pattern(handle_, detail::text(options.host_pattern)));
    detail::checked(nwtopo_topology_set_aliases(handle_, detail::text(options.aliases)));
  }

  [[nodiscard]] nwtopo_topology_t handle() const {
    if (handle_ == nullptr) throw Error(EINVAL, "the topology was moved from");
    return handle_;
  }
  static nwtopo_obj_t of(nwtopo_obj_t object) {
    if (object == nullptr) throw std::invalid_argument("the object is NULL");
    return object;
  }

  template <typename Get>
  static Range<Get> range(unsigned long count, Get get) {
    return {count, std::move(get)};
  }

  /// After a failure: throws, unless errno is ENOENT.
  static void expect_none() {
    if (errno != ENOENT) detail::raise();
  }

  static std::size_t num_dimensions(nwtopo_obj_t grid) {
    if (grid == nullptr || grid->type != NWTOPO_OBJ_GRID) throw std::invalid_argument("the object is not a grid");
    return grid->attr->grid.num_dimensions;
  }
  static void expect_dimensions(nwtopo_obj_t grid, const std::vector<int>& numbers) {
    if (numbers.size() != num_dimensions(grid)) throw std::invalid_argument("not one number for each dimension");
  }

  nwtopo_topology_t handle_ = nullptr;
};

}  // namespace nwtopo

#endif
