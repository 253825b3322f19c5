#include "ayatori/contention/multipath_tracer.hpp"
#include "wrapped_paths.hpp"

namespace ayatori {

namespace {

/// All but the paths between ranks is as on base LIDs.
class MultipathPaths final : public WrappedPaths {
 public:
  MultipathPaths(std::unique_ptr<const Plan> base_lids, std::unique_ptr<Paths> on_base_lids, MultipathTracer tracer)
      : WrappedPaths(std::move(on_base_lids)), base_lids_(std::move(base_lids)), tracer_(std::move(tracer)) {}

  [[nodiscard]] std::uint32_t part_count(Rank from, Rank to, Bytes /*bytes*/) const override {
    return between_ranks(from, to) ? tracer_.path_count(from, to) : 1;
  }

  void part(std::uint32_t number, Rank from, Rank to, PartPath& path, Bytes bytes) const override {
    if (!between_ranks(from, to)) return inner().part(number, from, to, path, bytes);
    path.links.clear();
    tracer_.trace(from, to, number, [&](PortId link) { path.links.push_back(link); });
    path.from_nic = nic(from);
    path.to_nic = nic(to);
  }

 private:
  [[nodiscard]] bool between_ranks(Rank from, Rank to) const {
    const Rank ranks = base_lids_->rank_count();
    return from < ranks && to < ranks && machine(from) != machine(to);
  }

  std::unique_ptr<const Plan> base_lids_;  // which the paths on base LIDs refer to
  MultipathTracer tracer_;
};

}  // namespace

Result<std::unique_ptr<Paths>> multipath_paths(const Network& network, const Routes& routes, const Job& job,
                                               const LinkDefaults& defaults, std::span<const DeviceId> routers,
                                               const Sends& sends) {
  auto base_lids = std::make_unique<const Plan>(Plan::destination_mod_k(static_cast<Rank>(job.rank_count())));
  auto on_base_lids = routed_paths(network, routes, *base_lids, job, defaults, routers, sends);
  if (!on_base_lids) return Failure(on_base_lids.error());
  auto tracer = MultipathTracer::of(network, routes, endpoints_of_ranks(network, job), sends);
  if (!tracer) return Failure(tracer.error());
  return std::make_unique<MultipathPaths>(std::move(base_lids), std::move(*on_base_lids), std::move(*tracer));
}

}  // namespace ayatori
