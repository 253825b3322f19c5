#include "ayatori/network/rails.hpp"
#include "wrapped_paths.hpp"

namespace ayatori {

namespace {

/// Paths of a job's ranks by those of its NICs. Routers that take part come after the NICs there, after the ranks here.
class RailPaths final : public WrappedPaths {
 public:
  RailPaths(std::unique_ptr<Paths> of_nics, RailMap map) : WrappedPaths(std::move(of_nics)), map_(std::move(map)) {}

  [[nodiscard]] Rank participant_count() const override {
    return inner().participant_count() - nic_ranks() + map_.rank_count();
  }
  [[nodiscard]] std::uint32_t machine(Rank participant) const override { return inner().machine(own(participant)); }
  [[nodiscard]] std::uint32_t nic(Rank rank) const override { return inner().nic(own(rank)); }

  void path(Rank from, Rank to, std::vector<std::uint32_t>& links) const override {
    PartPath first;
    if (machine(from) != machine(to)) part(0, from, to, first, large_message);
    links = std::move(first.links);
  }

  [[nodiscard]] std::uint32_t part_count(Rank from, Rank to, Bytes bytes) const override {
    if (!between_ranks(from, to)) return inner().part_count(own(from), own(to), bytes);
    std::uint32_t count = 0;
    for (std::uint32_t rail = 0; rail < map_.part_count(from, to, bytes); ++rail) {
      const auto [leaves, arrives] = map_.nics_of_part(from, to, rail, bytes);
      count += inner().part_count(leaves, arrives, bytes);
    }
    return count;
  }

  /// A rail's parts, if each is cut again, come one after the other.
  void part(std::uint32_t number, Rank from, Rank to, PartPath& path, Bytes bytes) const override {
    if (!between_ranks(from, to)) return inner().part(number, own(from), own(to), path, bytes);
    for (std::uint32_t rail = 0; rail < map_.part_count(from, to, bytes); ++rail) {
      const auto [leaves, arrives] = map_.nics_of_part(from, to, rail, bytes);
      const std::uint32_t parts = inner().part_count(leaves, arrives, bytes);
      if (number < parts) return inner().part(number, leaves, arrives, path, bytes);
      number -= parts;
    }
  }

  [[nodiscard]] std::uint32_t plane(Rank from, Rank to, Bytes bytes) const override {
    if (!between_ranks(from, to)) return no_id;
    const auto [leaves, arrives] = map_.nics_of_part(from, to, 0, bytes);
    return inner().plane(leaves, arrives, bytes);
  }

 private:
  [[nodiscard]] Rank nic_ranks() const { return static_cast<Rank>(map_.nics().rank_count()); }
  [[nodiscard]] bool between_ranks(Rank from, Rank to) const {
    return from < map_.rank_count() && to < map_.rank_count();
  }
  [[nodiscard]] Rank own(Rank participant) const {
    return participant < map_.rank_count() ? map_.nic_of(participant) : participant - map_.rank_count() + nic_ranks();
  }

  RailMap map_;
};

}  // namespace

std::unique_ptr<Paths> rail_paths(std::unique_ptr<Paths> of_nics, RailMap map) {
  return std::make_unique<RailPaths>(std::move(of_nics), std::move(map));
}

}  // namespace ayatori
