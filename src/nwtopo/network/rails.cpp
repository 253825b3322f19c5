#include "ayatori/network/rails.hpp"

#include <algorithm>
#include <bit>

#include "joined_nics.hpp"

namespace ayatori {

namespace {

class StepsOnRails final : public StepSequence {
 public:
  StepsOnRails(const StepSequence& steps, RailMap map) : steps_(steps), map_(std::move(map)) {}

  [[nodiscard]] Rank rank_count() const override { return static_cast<Rank>(map_.nics().rank_count()); }
  [[nodiscard]] std::size_t step_count() const override { return steps_.step_count(); }

  void step(std::size_t index, std::vector<Message>& messages) const override {
    std::vector<Message> between_ranks;
    steps_.step(index, between_ranks);
    messages.clear();
    for (const auto& [from, to, bytes] : between_ranks) {
      const std::uint32_t parts = map_.part_count(from, to, bytes);
      for (std::uint32_t part = 0; part < parts; ++part) {
        const auto [leaves, arrives] = map_.nics_of_part(from, to, part, bytes);
        messages.push_back({leaves, arrives, (bytes + parts - 1) / parts});
      }
    }
  }

 private:
  const StepSequence& steps_;
  RailMap map_;
};

}  // namespace

RailMap::RailMap(const Network& network, const Job& job, RailUse use, std::vector<double> plane_seconds)
    : use_(use), plane_seconds_(std::move(plane_seconds)) {
  std::vector<std::uint32_t> number(network.machines().size());
  for (const MachineId machine : job.machines()) {
    const auto place = static_cast<std::uint32_t>(nic_count_.size());
    const auto count = static_cast<std::uint32_t>(network.machine(machine).endpoints.size());
    number[machine] = place;
    first_nic_.push_back(static_cast<Rank>(nics_.rank_count()));
    nic_count_.push_back(count);
    nics_.machine_of_rank.insert(nics_.machine_of_rank.end(), count, machine);
    machine_of_nic_.insert(machine_of_nic_.end(), count, place);
  }
  for (const MachineId machine : job.machine_of_rank) machine_.push_back(number[machine]);
  const std::vector<PortId> of_ranks = endpoints_of_ranks(network, job);
  endpoints_ = endpoints_of_ranks(network, nics_);
  for (const PortId endpoint : endpoints_) {
    plane_of_nic_.push_back(network.device(network.port(endpoint).device).plane);
  }
  plane_seconds_.resize(network.planes().size(), 0);
  const bool on_planes = use == RailUse::striped && network.planes().size() > 1;
  if (on_planes || use == RailUse::fastest || use == RailUse::lowest_latency)
    joined_ = std::make_shared<const JoinedNics>(network, endpoints_);
  for (Rank rank = 0; rank < of_ranks.size(); ++rank) {
    const auto begin = endpoints_.begin() + first_nic(rank);
    const auto own = std::find(begin, begin + nic_count(rank), of_ranks[rank]);
    nic_of_rank_.push_back(static_cast<Rank>(own - endpoints_.begin()));
  }
}

std::span<const PortId> RailMap::endpoints_of(std::uint32_t machine) const {
  return std::span(endpoints_).subspan(first_nic_[machine], nic_count_[machine]);
}

namespace {

/// As many of the fastest pairs as carry a message in the least time if it is cut into equal parts: at least 1.
std::uint32_t best_stripe(const std::vector<NicPair>& pairs) {
  std::uint32_t best = 1;
  double rate = pairs.empty() ? 0 : pairs.front().bytes_per_second;
  for (std::uint32_t count = 2; count <= pairs.size(); ++count) {
    const double together = count * pairs[count - 1].bytes_per_second;
    if (together <= rate) continue;
    best = count;
    rate = together;
  }
  return best;
}

}  // namespace

std::vector<NicPair> RailMap::pairs_between(Rank from, Rank to) const {
  return joined_->pairs(endpoints_of(machine_[from]), endpoints_of(machine_[to]));
}

/// The time of m bytes on pair p is s(p) + m / rate(p), with s(p) the latency of links and what a message takes on its
/// plane; over the first k pairs in equal parts the greatest s(p) + m / (k · rate(k)). Of sizes the power of two below
/// counts, so that there are few to tell apart.
RailMap::LowestLatency RailMap::lowest_latency(const std::vector<NicPair>& pairs, Rank from, Bytes bytes) const {
  const auto size = static_cast<double>(std::bit_floor(bytes));
  LowestLatency best;
  double least = 0;
  double latest = 0;
  for (std::uint32_t i = 0; i < pairs.size(); ++i) {
    const NicPair& pair = pairs[i];
    const double before = pair.seconds + plane_seconds_[plane_of_nic_[first_nic(from) + pair.from]];
    const double alone = before + size / pair.bytes_per_second;
    if (i == 0 || alone < least) {
      best = {i, 1};
      least = alone;
    }
    latest = std::max(latest, before);
    const double together = latest + size / ((i + 1) * pair.bytes_per_second);
    if (i == 0 || bytes < min_striped_bytes || together >= least) continue;
    best = {0, i + 1};
    least = together;
  }
  return best;
}

std::vector<PathsFrom> RailMap::paths(Rank from, Rank to) const {
  std::vector<PathsFrom> found;
  if (use_ != RailUse::lowest_latency) {
    found.push_back({});
    for (std::uint32_t part = 0; part < part_count(from, to); ++part) {
      const auto [leaves, arrives] = nics_of_part(from, to, part);
      if (may_connect(leaves, arrives)) found.back().parts.emplace_back(leaves, arrives);
    }
    return found;
  }
  const std::vector<NicPair> pairs = pairs_between(from, to);
  for (Bytes bytes = 0; bytes <= large_message; bytes = std::max<Bytes>(1, 2 * bytes)) {
    const auto [first, count] = lowest_latency(pairs, from, bytes);
    PathsFrom here{bytes, {}};
    for (std::uint32_t i = first; i < first + count; ++i) {
      here.parts.emplace_back(first_nic(from) + pairs[i].from, first_nic(to) + pairs[i].to);
    }
    if (found.empty() || found.back().parts != here.parts) found.push_back(std::move(here));
  }
  return found;
}

std::uint32_t RailMap::part_count(Rank from, Rank to, Bytes bytes) const {
  if (use_ == RailUse::lowest_latency && machine_[from] != machine_[to]) {
    return std::max(1U, lowest_latency(pairs_between(from, to), from, bytes).count);
  }
  if (use_ != RailUse::striped || machine_[from] == machine_[to]) return 1;
  if (joined_) return best_stripe(pairs_between(from, to));
  return std::min(nic_count(from), nic_count(to));
}

std::pair<Rank, Rank> RailMap::nics_of_part(Rank from, Rank to, std::uint32_t part, Bytes bytes) const {
  if (machine_[from] == machine_[to] || use_ == RailUse::own) return {nic_of(from), nic_of(to)};
  if (use_ == RailUse::fastest) return on_fastest_plane(from, to);
  if (joined_) {
    const auto pairs = pairs_between(from, to);
    if (pairs.empty()) return {nic_of(from), nic_of(to)};
    if (use_ == RailUse::lowest_latency) part += lowest_latency(pairs, from, bytes).first;
    return {first_nic(from) + pairs[part].from, first_nic(to) + pairs[part].to};
  }
  if (use_ == RailUse::striped) return {first_nic(from) + part, first_nic(to) + part};
  const std::uint32_t rail = nic_of(to) - first_nic(to);
  return {rail < nic_count(from) ? first_nic(from) + rail : nic_of(from), nic_of(to)};
}

std::pair<Rank, Rank> RailMap::on_fastest_plane(Rank from, Rank to) const {
  const Rank near = first_nic(from);
  const Rank far = first_nic(to);
  std::pair<Rank, Rank> best{nic_of(from), nic_of(to)};
  double fastest = 0;
  int own_of_best = 0;
  for (Rank leaves = near; leaves < near + nic_count(from); ++leaves) {
    for (Rank arrives = far; arrives < far + nic_count(to); ++arrives) {
      const double rate = joined_->rate(endpoints_[leaves], endpoints_[arrives]);
      // Of equal ones that with the receiver's own NIC rather than that with the sender's.
      const int own = (arrives == nic_of(to) ? 2 : 0) + (leaves == nic_of(from) ? 1 : 0);
      if (rate < fastest || rate == 0 || (rate == fastest && own <= own_of_best)) continue;
      best = {leaves, arrives};
      fastest = rate;
      own_of_best = own;
    }
  }
  return best;
}

bool RailMap::may_connect(Rank leaves, Rank arrives) const {
  const std::uint32_t from = machine_of_nic_[leaves];
  const std::uint32_t to = machine_of_nic_[arrives];
  const Rank rail = arrives - first_nic_[to];
  if (from == to) return false;
  if (joined_) {
    const bool joins = joined_->rate(endpoints_[leaves], endpoints_[arrives]) > 0;
    return joins || joined_->pairs(endpoints_of(from), endpoints_of(to)).empty();
  }
  if (use_ == RailUse::own || rail == leaves - first_nic_[from]) return true;
  return use_ == RailUse::aligned && rail >= nic_count_[from];
}

std::unique_ptr<StepSequence> on_rails(const StepSequence& steps, RailMap map) {
  return std::make_unique<StepsOnRails>(steps, std::move(map));
}

}  // namespace ayatori
