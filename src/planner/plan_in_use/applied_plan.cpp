#include "ayatori/plan_in_use/applied_plan.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "ayatori/plan_in_use/connection_paths.hpp"

namespace ayatori {

namespace {

class Records {
 public:
  Records(const PlanFile& plan, std::uint32_t paths_per_pair) : plan_(plan), paths_(plan, paths_per_pair) {}

  void add(const AppliedConnections& connections) {
    const AppliedPath& path = connections.path;
    const auto from = paths_.find_by_lid(path.slid, path.port_guid);
    const auto to = from ? paths_.find_peer(*from, {.lid = path.dlid, .port_guid = {}}) : std::nullopt;
    if (!to) {
      result_.elsewhere += connections.count;
      return;
    }
    const PathBits bits = {static_cast<std::uint8_t>(path.dlid - paths_.base_lid(*to)),
                           static_cast<std::uint8_t>(path.slid - paths_.base_lid(*from))};
    taken_[{*from, *to}][bits] += connections.count;
  }

  AppliedPlan finish() {
    for (const auto& [pair, by_bits] : taken_) {
      for (const auto& [bits, count] : by_bits) count_connections(pair, bits, count);
    }
    result_.connected_pairs = taken_.size();
    const std::uint64_t ports = paths_.port_count();
    result_.port_pairs = ports * (ports - 1);
    result_.plan = make_plan();
    return std::move(result_);
  }

 private:
  using PortPair = std::pair<JobPort, JobPort>;

  void count_connections(const PortPair& pair, PathBits bits, std::uint64_t count) {
    result_.connections += count;
    const auto planned = paths_.between(pair.first, pair.second);
    if (std::ranges::find(planned, bits) != planned.end()) {
      result_.as_planned += count;
      return;
    }
    result_.not_as_planned.push_back({paths_.first_rank(pair.first), paths_.first_rank(pair.second),
                                      static_cast<Lid>(paths_.base_lid(pair.first) + bits.back),
                                      static_cast<Lid>(paths_.base_lid(pair.second) + bits.there), count});
  }

  /// The path bits of a pair of ranks.
  [[nodiscard]] std::uint8_t path_bits(Rank from, Rank to) const {
    const std::uint8_t planned = plan_.plan.path_bits(from, to);
    const auto found = taken_.find({paths_.port_of(from), paths_.port_of(to)});
    if (found == taken_.end()) return planned;
    std::map<std::uint8_t, std::uint64_t> counts;
    for (const auto& [bits, count] : found->second) counts[bits.there] += count;
    if (counts.contains(planned)) return planned;
    return std::ranges::max_element(counts, {}, &std::pair<const std::uint8_t, std::uint64_t>::second)->first;
  }

  [[nodiscard]] Plan make_plan() const {
    const auto ranks = static_cast<Rank>(plan_.ranks.size());
    std::vector<std::uint8_t> bits;
    bits.reserve(std::size_t{ranks} * ranks);
    for (Rank from = 0; from < ranks; ++from) {
      for (Rank to = 0; to < ranks; ++to) bits.push_back(path_bits(from, to));
    }
    return Plan::per_pair(ranks, std::move(bits));
  }

  const PlanFile& plan_;
  ConnectionPaths paths_;
  std::map<PortPair, std::map<PathBits, std::uint64_t>> taken_;
  AppliedPlan result_;
};

}  // namespace

AppliedPlan apply_records(const PlanFile& plan, std::span<const AppliedFile> records) {
  std::uint32_t paths_per_pair = 1;
  for (const AppliedFile& record : records) paths_per_pair = std::max(paths_per_pair, record.paths_per_pair);
  Records all(plan, paths_per_pair);
  for (const AppliedFile& record : records) {
    for (const AppliedConnections& connections : record.connections) all.add(connections);
  }
  return all.finish();
}

}  // namespace ayatori
