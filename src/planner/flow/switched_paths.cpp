#include <fmt/core.h>
#include <algorithm>

#include "ayatori/flow/paths.hpp"
#include "default_rate.hpp"

namespace ayatori {

namespace {

/// Links 2m and 2m + 1 leave and enter machine m; those of group g follow, 2 (machines + g) up and one more down.
class SwitchedPaths final : public Paths {
 public:
  SwitchedPaths(std::vector<std::uint32_t> machine_of_rank, std::vector<std::uint32_t> group_of_machine,
                const LinkDefaults& links)
      : machine_of_rank_(std::move(machine_of_rank)), group_of_machine_(std::move(group_of_machine)), links_(links) {
    for (const std::uint32_t group : group_of_machine_) {
      machines_of_group_.resize(std::max<std::size_t>(machines_of_group_.size(), group + std::size_t{1}));
      ++machines_of_group_[group];
    }
  }

  [[nodiscard]] std::size_t link_count() const override {
    return 2 * (group_of_machine_.size() + machines_of_group_.size());
  }
  [[nodiscard]] double bytes_per_second(std::uint32_t link) const override {
    const double one = links_.bytes_per_second > 0 ? links_.bytes_per_second : default_bytes_per_second();
    return link < first_of_groups() ? one : one * machines_of_group_[link / 2 - group_of_machine_.size()];
  }
  [[nodiscard]] double latency(std::uint32_t) const override { return links_.latency; }
  [[nodiscard]] Rank participant_count() const override { return static_cast<Rank>(machine_of_rank_.size()); }
  [[nodiscard]] std::uint32_t machine(Rank participant) const override { return machine_of_rank_[participant]; }
  [[nodiscard]] std::uint32_t machine_count() const override {
    return static_cast<std::uint32_t>(group_of_machine_.size());
  }
  [[nodiscard]] std::string name(std::uint32_t link) const override {
    const bool of_group = link >= first_of_groups();
    return fmt::format("{} {} {}", of_group ? "group" : "machine", link / 2 - (of_group ? group_of_machine_.size() : 0),
                       link % 2 == 0 ? "up" : "down");
  }

  void path(Rank from, Rank to, std::vector<std::uint32_t>& links) const override {
    links.clear();
    const std::uint32_t here = machine_of_rank_[from];
    const std::uint32_t there = machine_of_rank_[to];
    if (here == there) return;
    links.push_back(2 * here);
    if (group_of_machine_[here] != group_of_machine_[there]) {
      links.push_back(first_of_groups() + 2 * group_of_machine_[here]);
      links.push_back(first_of_groups() + 2 * group_of_machine_[there] + 1);
    }
    links.push_back(2 * there + 1);
  }

 private:
  [[nodiscard]] std::uint32_t first_of_groups() const {
    return static_cast<std::uint32_t>(2 * group_of_machine_.size());
  }

  std::vector<std::uint32_t> machine_of_rank_;
  std::vector<std::uint32_t> group_of_machine_;
  std::vector<std::uint32_t> machines_of_group_;
  LinkDefaults links_;
};

}  // namespace

std::unique_ptr<Paths> switched_paths(std::vector<std::uint32_t> machine_of_rank,
                                      std::vector<std::uint32_t> group_of_machine, const LinkDefaults& links) {
  return std::make_unique<SwitchedPaths>(std::move(machine_of_rank), std::move(group_of_machine), links);
}

}  // namespace ayatori
