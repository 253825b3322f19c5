#include "ayatori/contention/multipath_tracer.hpp"
#include "chosen_paths.hpp"

namespace ayatori {

namespace {

class MultipathPaths final : public ChosenPaths {
 public:
  MultipathPaths(PathsOnBaseLids base, MultipathTracer tracer)
      : ChosenPaths(std::move(base)), tracer_(std::move(tracer)) {}

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
  MultipathTracer tracer_;
};

}  // namespace

Result<std::unique_ptr<Paths>> multipath_paths(const Network& network, const Routes& routes, const Job& job,
                                               const LinkDefaults& defaults, std::span<const DeviceId> routers,
                                               const Sends& sends) {
  auto base = PathsOnBaseLids::of(network, routes, job, defaults, routers, sends);
  if (!base) return Failure(base.error());
  auto tracer = MultipathTracer::of(network, routes, endpoints_of_ranks(network, job), sends);
  if (!tracer) return Failure(tracer.error());
  return std::make_unique<MultipathPaths>(std::move(*base), std::move(*tracer));
}

}  // namespace ayatori
