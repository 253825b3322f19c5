#include "chosen_paths.hpp"
#include "minimal_paths.hpp"

namespace ayatori {

std::uint64_t ecmp_hash(std::uint64_t seed, std::uint64_t router, std::uint64_t flow) {
  std::uint64_t x = seed;
  for (const std::uint64_t word : {router, flow}) {
    x += word + 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    x ^= x >> 31U;
  }
  return x;
}

namespace {

class EcmpPaths final : public ChosenPaths {
 public:
  EcmpPaths(PathsOnBaseLids base, MinimalPaths minimal, std::uint64_t seed)
      : ChosenPaths(std::move(base)), minimal_(std::move(minimal)), seed_(seed) {}

  void path(Rank from, Rank to, std::vector<std::uint32_t>& links) const override {
    if (!between_ranks(from, to)) return inner().path(from, to, links);
    links.assign(1, minimal_.endpoint(from));
    const std::uint64_t flow = std::uint64_t{from} << 32U | to;
    std::vector<RouterGraph::Cable> cables;
    for (DeviceId router = minimal_.router_of(from); router != minimal_.router_of(to);) {
      minimal_.next_cables(router, to, cables);
      const RouterGraph::Cable& taken = cables[ecmp_hash(seed_, router, flow) % cables.size()];
      links.push_back(minimal_.network().port_id(router, taken.port));
      router = taken.peer;
    }
    links.push_back(minimal_.last_link(to));
  }

  void part(std::uint32_t number, Rank from, Rank to, PartPath& path, Bytes bytes) const override {
    if (!between_ranks(from, to)) return inner().part(number, from, to, path, bytes);
    Paths::part(number, from, to, path);
  }

 private:
  MinimalPaths minimal_;
  std::uint64_t seed_;
};

}  // namespace

Result<std::unique_ptr<Paths>> ecmp_paths(const Network& network, const Routes& routes, const Job& job,
                                          const LinkDefaults& defaults, std::uint64_t seed,
                                          std::span<const DeviceId> routers, const Sends& sends) {
  auto base = PathsOnBaseLids::of(network, routes, job, defaults, routers, sends);
  if (!base) return Failure(base.error());
  auto minimal = MinimalPaths::of(network, endpoints_of_ranks(network, job), sends);
  if (!minimal) return Failure(minimal.error());
  return std::make_unique<EcmpPaths>(std::move(*base), std::move(*minimal), seed);
}

}  // namespace ayatori
