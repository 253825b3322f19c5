#pragma once
/// \file
/// All that an image says, before it becomes bytes. Objects are numbered as in the image: machines first, then the
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
    std::uint32_t nics = 0;
  };
  struct Link {
    std::uint32_t back = 0;  ///< index of the link the other way
    std::uint32_t port = 0;
    std::uint32_t link_class = 0;
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
  std::vector<image::LinkClass> classes;
  std::vector<Group> groups;
  std::vector<std::string> planes;
  bool direct = false;  ///< Topology::direct

  void add_object(const Object& object, std::string_view name);
};

/// Gives each different class a number.
class LinkClasses {
 public:
  explicit LinkClasses(std::vector<image::LinkClass>& classes) : classes_(classes) {}
  [[nodiscard]] std::uint32_t number_of(const image::LinkClass& link_class);

 private:
  std::vector<image::LinkClass>& classes_;
  std::map<image::LinkClass, std::uint32_t> numbers_;
  std::uint32_t last_ = 0;
};

[[nodiscard]] image::LinkClass class_of(const TopologyLink& link);

[[nodiscard]] ImageDraft draft_of(const Network& network);
/// Error: a link without a way back, numbers beyond 32 bits.
[[nodiscard]] Result<ImageDraft> draft_of(const Topology& topology);

/// The bytes of an image. Error: more than its fields hold (2^32 objects or links, 2^16 ports or kinds of link).
[[nodiscard]] Result<std::vector<std::byte>> write_image(const ImageDraft& draft);
/// The bytes of a formula.
[[nodiscard]] Result<std::vector<std::byte>> write_formula(const GridFormula& formula);

}  // namespace ayatori
