#pragma once
/// \file
/// Paths like others, but for what a class that is derived from this one says differently.

#include <memory>
#include <utility>

#include "ayatori/flow/paths.hpp"

namespace ayatori {

class WrappedPaths : public Paths {
 public:
  explicit WrappedPaths(std::unique_ptr<Paths> inner) : inner_(std::move(inner)) {}

  [[nodiscard]] std::size_t link_count() const override { return inner_->link_count(); }
  [[nodiscard]] double bytes_per_second(std::uint32_t link) const override { return inner_->bytes_per_second(link); }
  [[nodiscard]] double latency(std::uint32_t link) const override { return inner_->latency(link); }
  [[nodiscard]] std::string name(std::uint32_t link) const override { return inner_->name(link); }
  [[nodiscard]] Rank participant_count() const override { return inner_->participant_count(); }
  [[nodiscard]] std::uint32_t machine(Rank participant) const override { return inner_->machine(participant); }
  [[nodiscard]] std::uint32_t nic(Rank rank) const override { return inner_->nic(rank); }
  [[nodiscard]] std::uint32_t machine_count() const override { return inner_->machine_count(); }
  [[nodiscard]] std::uint32_t nic_count() const override { return inner_->nic_count(); }
  void path(Rank from, Rank to, std::vector<std::uint32_t>& links) const override { inner_->path(from, to, links); }
  [[nodiscard]] std::uint32_t part_count(Rank from, Rank to, Bytes bytes) const override {
    return inner_->part_count(from, to, bytes);
  }
  void part(std::uint32_t number, Rank from, Rank to, PartPath& path, Bytes bytes) const override {
    inner_->part(number, from, to, path, bytes);
  }
  [[nodiscard]] std::uint32_t plane(Rank from, Rank to, Bytes bytes) const override {
    return inner_->plane(from, to, bytes);
  }
  [[nodiscard]] bool splits_by_load() const override { return inner_->splits_by_load(); }

 protected:
  [[nodiscard]] const Paths& inner() const { return *inner_; }

 private:
  std::unique_ptr<Paths> inner_;
};

}  // namespace ayatori
