#pragma once
/// \file
/// The contents of an image, before it becomes bytes. Objects are numbered as in the image: machines first, then the
/// others by rising id.

#include <map>
#include <string>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/topology/topology.hpp"
#include "image_layout.hpp"

namespace ayatori {

struct GridFormula;

struct ImageDraft {
  struct Object {
    ObjectKind kind = ObjectKind::machine;
    std::uint32_t height = 0;
  };
  struct Nic {
    std::uint32_t rail = 0;
    PlaneId plane = 0;
    Guid guid = 0;
    std::string device;
  };
  struct Link {
    std::uint32_t back = 0;  ///< index of the link in the opposite direction
    std::uint32_t kind = 0;
  };
  struct Group {
    std::uint32_t object = 0;
    std::vector<std::uint32_t> members;  ///< by rising id
    std::vector<std::uint64_t> points;   ///< of a grid: where each member lies
    GridShape shape;
  };

  std::vector<Object> objects;
  std::vector<ObjectId> ids;  ///< empty if they are 0, 1, 2, …
  std::string names;
  std::vector<std::size_t> name_ends;
  std::vector<std::size_t> first_link{0};  ///< by object, and the end
  std::vector<Link> links;
  std::vector<image::LinkKind> kinds;
  std::vector<Nic> nics;              ///< by machine
  std::vector<std::size_t> nic_ends;  ///< by machine
  std::vector<Guid> router_guids;     ///< by router
  std::vector<Group> groups;
  std::vector<Plane> planes;
  std::vector<std::string> warnings;  ///< Topology::warnings
  std::vector<std::byte> transit;     ///< an image of Topology::transit; empty: packets stay within this one
  bool direct = false;                ///< Topology::direct

  void add_object(const Object& object, std::string_view name);
};

/// Gives each different kind of link a number.
class LinkKinds {
 public:
  explicit LinkKinds(std::vector<image::LinkKind>& kinds) : kinds_(kinds) {}
  [[nodiscard]] std::uint32_t number_of(const image::LinkKind& kind);

 private:
  std::vector<image::LinkKind>& kinds_;
  std::map<image::LinkKind, std::uint32_t> numbers_;
  std::uint32_t last_ = 0;
};

/// A port or NIC number that an image has no room for becomes 2^16 - 1; the caller has checked.
[[nodiscard]] image::LinkKind kind_of(const TopologyLink& link);

[[nodiscard]] ImageDraft draft_of(const Network& network);
/// Error: a link without a link back, a port number beyond 16 bits.
[[nodiscard]] Result<ImageDraft> draft_of(const Topology& topology);

/// The bytes of an image. Error: more than its fields hold (2^32 objects or links, 2^16 links of an object).
[[nodiscard]] Result<std::vector<std::byte>> write_image(const ImageDraft& draft);
/// The bytes of a formula.
[[nodiscard]] Result<std::vector<std::byte>> write_formula(const GridFormula& formula);

}  // namespace ayatori
