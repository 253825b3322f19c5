#pragma once
/// \file
/// A Topology that forwards each question to another one; a derived class overrides the answers that differ.

#include "ayatori/topology/topology.hpp"

namespace ayatori {

class ForwardingTopology : public Topology {
 public:
  explicit ForwardingTopology(TopologyPtr base) : base_(std::move(base)) {}

  ObjectId id_end() const override { return base_->id_end(); }
  bool contains(ObjectId id) const override { return base_->contains(id); }
  std::uint64_t machine_count() const override { return base_->machine_count(); }
  ObjectId machine(std::uint64_t index) const override { return base_->machine(index); }
  std::uint64_t machine_index(ObjectId machine) const override { return base_->machine_index(machine); }

  std::uint32_t max_height() const override { return base_->max_height(); }
  std::uint64_t count_at(std::uint32_t height) const override { return base_->count_at(height); }
  ObjectId object_at(std::uint32_t height, std::uint64_t index) const override {
    return base_->object_at(height, index);
  }

  ObjectKind kind(ObjectId id) const override { return base_->kind(id); }
  std::uint32_t height(ObjectId id) const override { return base_->height(id); }
  std::uint32_t parent_count(ObjectId id) const override { return base_->parent_count(id); }
  ObjectId parent(ObjectId id, std::uint32_t index) const override { return base_->parent(id, index); }
  std::uint64_t child_count(ObjectId id) const override { return base_->child_count(id); }
  ObjectId child(ObjectId id, std::uint64_t index) const override { return base_->child(id, index); }

  std::string name(ObjectId id) const override { return base_->name(id); }
  std::optional<ObjectId> find(std::string_view name) const override { return base_->find(name); }
  std::uint32_t nic_count(ObjectId machine) const override { return base_->nic_count(machine); }
  TopologyNic nic(ObjectId machine, std::uint32_t index) const override { return base_->nic(machine, index); }
  Guid router_guid(ObjectId router) const override { return base_->router_guid(router); }
  std::span<const std::string> warnings() const override { return base_->warnings(); }
  std::span<const Plane> planes() const override { return base_->planes(); }

  bool direct() const override { return base_->direct(); }
  const GridShape* grid(ObjectId id) const override { return base_->grid(id); }
  ObjectId grid_child(ObjectId grid, std::uint64_t point) const override { return base_->grid_child(grid, point); }
  std::uint64_t grid_point(ObjectId grid, ObjectId child) const override { return base_->grid_point(grid, child); }

  std::uint32_t link_count(ObjectId id) const override { return base_->link_count(id); }
  TopologyLink link(ObjectId id, std::uint32_t index) const override { return base_->link(id, index); }

  std::size_t shared_bytes() const override { return base_->shared_bytes(); }
  std::size_t private_bytes() const override { return base_->private_bytes(); }

 protected:
  [[nodiscard]] const Topology& base() const { return *base_; }

 private:
  TopologyPtr base_;
};

}  // namespace ayatori
