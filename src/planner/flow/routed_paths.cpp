#include <algorithm>
#include <atomic>
#include <bitset>
#include <limits>
#include <map>

#include "ayatori/base/parallel.hpp"
#include "ayatori/contention/message_tracer.hpp"
#include "ayatori/flow/paths.hpp"
#include "ayatori/network/router_graph.hpp"
#include "chosen_paths.hpp"
#include "default_rate.hpp"

namespace ayatori {

namespace {

constexpr std::size_t max_path_bits = std::size_t{1} << max_lmc;

class RoutedPaths final : public Paths {
 public:
  RoutedPaths(const Network& network, const Routes& routes, const Plan& plan, const Job& job,
              const LinkDefaults& defaults, std::span<const DeviceId> routers)
      : network_(network),
        routes_(routes),
        plan_(plan),
        defaults_(defaults),
        ranks_(plan.rank_count()),
        ports_(endpoints_of_ranks(network, job)),
        tracer_(network, routes, ports_, plan) {
    machines_.assign(job.machine_of_rank.begin(), job.machine_of_rank.end());
    for (const DeviceId router : routers) {
      ports_.push_back(network.port_id(router, 0));
      machines_.push_back(static_cast<std::uint32_t>(network.machines().size()) + router);
    }
    for (const PortId port : ports_) lids_.push_back(routes.lids.of(port));
  }

  [[nodiscard]] std::size_t link_count() const override { return network_.port_count(); }

  [[nodiscard]] double bytes_per_second(std::uint32_t link) const override {
    if (defaults_.bytes_per_second > 0) return defaults_.bytes_per_second;
    const LinkRate rate = network_.port(link).rate;
    return rate.known() ? rate.bytes_per_second() : default_bytes_per_second();
  }

  [[nodiscard]] double latency(std::uint32_t link) const override {
    const std::uint32_t nanoseconds = network_.port(link).latency;
    return nanoseconds != 0 ? nanoseconds * 1e-9 : defaults_.latency;
  }

  [[nodiscard]] std::string name(std::uint32_t link) const override { return network_.describe_link(link); }
  [[nodiscard]] Rank participant_count() const override { return static_cast<Rank>(ports_.size()); }
  [[nodiscard]] std::uint32_t machine(Rank participant) const override { return machines_[participant]; }
  [[nodiscard]] std::uint32_t nic(Rank rank) const override {
    return rank < ranks_ ? network_.port(ports_[rank]).device : no_id;
  }
  [[nodiscard]] std::uint32_t machine_count() const override {
    return static_cast<std::uint32_t>(network_.machines().size() + network_.device_count());
  }
  [[nodiscard]] std::uint32_t nic_count() const override { return static_cast<std::uint32_t>(network_.device_count()); }

  [[nodiscard]] std::uint32_t plane(Rank from, Rank to, Bytes /*bytes*/) const override {
    return from < ranks_ && to < ranks_ ? network_.device(network_.port(ports_[from]).device).plane : no_id;
  }

  void path(Rank from, Rank to, std::vector<std::uint32_t>& links) const override {
    links.clear();
    if (machines_[from] == machines_[to]) return;
    const auto take = [&](PortId link) { links.push_back(link); };
    if (from < ranks_ && to < ranks_) {
      tracer_.trace({from, to}, take);
    } else {
      follow(from, to, path_bits(from, to), take);
    }
  }

  Result<> check(const Sends& sends) const {
    for (Rank participant = 0; participant < ports_.size(); ++participant) {
      if (lids_[participant].base == 0) return fail("{} has no LID in these tables", describe(participant));
    }
    std::atomic<Rank> first_lost = no_id;
    parallel_for({.count = ports_.size(), .piece = 64}, [&](std::size_t iteration) {
      const auto to = static_cast<Rank>(iteration);
      if (to < first_lost && !lost_on_the_way_to(to, sends).arrives) lower_to(first_lost, to);
    });
    if (first_lost == no_id) return {};
    return not_arriving(lost_on_the_way_to(first_lost, sends).from, first_lost);
  }

 private:
  struct Loss {
    bool arrives = true;
    Rank from = 0;
  };

  static void lower_to(std::atomic<Rank>& smallest, Rank value) {
    Rank seen = smallest;
    while (value < seen && !smallest.compare_exchange_weak(seen, value)) {
    }
  }

  [[nodiscard]] std::uint32_t path_bits(Rank from, Rank to) const {
    if (to >= ranks_) return 0;
    // A plan for pairs says nothing of messages that routers send.
    if (from >= ranks_) return plan_.is_per_pair() ? 0 : plan_.path_bits(0, to);
    return plan_.path_bits(from, to);
  }

  template <typename Visit>
  bool follow(Rank from, Rank to, std::uint32_t bits, Visit&& visit) const {
    const auto lid = static_cast<Lid>(lids_[to].base + bits);
    PortId first = ports_[from];
    if (from >= ranks_) {
      const DeviceId router = network_.port(first).device;
      if (lid > routes_.tables.last_lid()) return false;
      const PortNumber out = routes_.tables.out(router, lid);
      if (out == 0 || out > network_.device(router).port_count) return false;
      first = network_.port_id(router, out);
    }
    return trace(network_, routes_, first, lid, visit);
  }

  /// Packets from one leaf to one LID go the same way: one source each is enough.
  [[nodiscard]] Loss lost_on_the_way_to(Rank to, const Sends& sends) const {
    std::map<DeviceId, std::bitset<max_path_bits>> followed_from;
    auto followed = followed_from.end();
    for (Rank from = 0; from < ports_.size(); ++from) {
      if (machines_[from] == machines_[to]) continue;
      if (sends && from < ranks_ && to < ranks_ && !sends(from, to)) continue;
      const std::uint32_t bits = path_bits(from, to);
      if (bits >= lids_[to].count()) return {false, from};
      const DeviceId leaf = first_router(from);
      if (followed == followed_from.end() || followed->first != leaf) followed = followed_from.try_emplace(leaf).first;
      if (followed->second.test(bits)) continue;
      followed->second.set(bits);
      if (!follow(from, to, bits, [](PortId) {})) return {false, from};
    }
    return {};
  }

  [[nodiscard]] DeviceId first_router(Rank from) const {
    const Port& port = network_.port(ports_[from]);
    return from >= ranks_ || !port.connected() ? port.device : network_.port(port.peer).device;
  }

  [[nodiscard]] std::string describe(Rank participant) const {
    const Port& port = network_.port(ports_[participant]);
    if (participant >= ranks_) return fmt::format("router '{}'", network_.name(port.device));
    return fmt::format("rank {} ('{}' port {})", participant, network_.name(port.device), port.number);
  }

  [[nodiscard]] Failure not_arriving(Rank from, Rank to) const {
    if (from < ranks_ && to < ranks_ && !is_reachable(network_, ports_[from], ports_[to])) {
      return fail("the job lies in several parts of the network: no cables lead from {} to {}", describe(from),
                  describe(to));
    }
    const std::uint32_t bits = path_bits(from, to);
    if (bits >= lids_[to].count()) {
      return fail("the plan wants path bits {} for {}, which has LMC {}", bits, describe(to), lids_[to].lmc);
    }
    return fail("messages from {} to {} by LID {:#06x} do not arrive", describe(from), describe(to),
                lids_[to].base + bits);
  }

  const Network& network_;
  const Routes& routes_;
  const Plan& plan_;
  LinkDefaults defaults_;
  Rank ranks_;
  // By participant:
  std::vector<PortId> ports_;
  MessageTracer tracer_;  // between ranks
  std::vector<std::uint32_t> machines_;
  std::vector<LidRange> lids_;
};

}  // namespace

Result<std::unique_ptr<Paths>> routed_paths(const Network& network, const Routes& routes, const Plan& plan,
                                            const Job& job, const LinkDefaults& defaults,
                                            std::span<const DeviceId> routers, const Sends& sends) {
  if (plan.rank_count() != job.rank_count()) {
    return fail("a plan for {} ranks does not fit a job of {} ranks", plan.rank_count(), job.rank_count());
  }
  auto paths = std::make_unique<RoutedPaths>(network, routes, plan, job, defaults, routers);
  if (auto checked = paths->check(sends); !checked) return Failure(checked.error());
  return paths;
}

Result<PathsOnBaseLids> PathsOnBaseLids::of(const Network& network, const Routes& routes, const Job& job,
                                            const LinkDefaults& defaults, std::span<const DeviceId> routers,
                                            const Sends& sends) {
  auto plan = std::make_unique<const Plan>(Plan::base_lids(static_cast<Rank>(job.rank_count())));
  auto paths = routed_paths(network, routes, *plan, job, defaults, routers, sends);
  if (!paths) return Failure(paths.error());
  return PathsOnBaseLids{std::move(plan), std::move(*paths)};
}

}  // namespace ayatori
