#include "ayatori/artefacts/assumed_costs.hpp"

#include <algorithm>
#include <utility>

namespace ayatori {

namespace {

/// Messages between machines over links of one kind.
struct Fabric {
  double message;   ///< seconds of a small message over `links` links, overheads included
  double overhead;  ///< of these on the processor of each end
  double link;      ///< latency of each link, with that of the switch after it
  Bytes eager_limit;
  double eager_send = 0;     ///< more overhead of the sender for each byte of an eager message, which is copied
  double eager_receive = 0;  ///< more overhead of the receiver
  int links = 2;
};

constexpr Fabric qdr{5.37e-6, 1.1e-6, 0.1e-6, 8192, 0.19e-9, 0.47e-9};
constexpr Fabric edr{1.33e-6, 0.385e-6, 0.1e-6, 16384, 0.05e-9, 0.1e-9};
constexpr Fabric hdr{1.33e-6, 0.168e-6, 0.1e-6, 16384, 0.05e-9, 0.1e-9};
/// Ethernet below first_bypassed: TCP of the kernel. From there on: NICs that bypass it (RoCE, usNIC).
constexpr Fabric kernel{16e-6, 3.2e-6, 0.5e-6, 65536, 0.1e-9, 0.2e-9};
constexpr Fabric bypass{2.18e-6, 0.385e-6, 0.25e-6, 16384, 0.05e-9, 0.1e-9};
constexpr std::uint32_t first_bypassed = 25'000;  // Mbit/s
constexpr Fabric built_in{0.9e-6, 0.18e-6, 0.1e-6, 16384, 0.05e-9, 0.1e-9, 1};

const Fabric& fabric_of(LinkRate rate, bool direct) {
  if (direct) return built_in;
  if (rate.megabits != 0) return rate.megabits >= first_bypassed ? bypass : kernel;
  switch (rate.speed) {
    case LaneSpeed::sdr:
    case LaneSpeed::ddr:
    case LaneSpeed::qdr:
      return qdr;
    case LaneSpeed::fdr10:
    case LaneSpeed::fdr:
    case LaneSpeed::edr:
      return edr;
    default:
      return hdr;
  }
}

/// A rendezvous takes two messages more, there and back; its bytes are not copied.
MessageCosts costs_over(const Fabric& fabric) {
  const auto lines = [&](double each_byte) {
    return SizeCost{{0, fabric.overhead, each_byte}, {fabric.eager_limit + 1, fabric.overhead, 0}};
  };
  return {.latency = fabric.message - 2 * fabric.overhead - fabric.links * fabric.link,
          .send = lines(fabric.eager_send),
          .receive = lines(fabric.eager_receive),
          .gap = fabric.overhead,
          .eager_limit = fabric.eager_limit,
          .rendezvous = 2 * fabric.message,
          .bandwidth = 0};
}

/// Above the eager limit the receiver copies out of the sender's memory, which takes its processor 2.6 us to begin.
MessageCosts costs_inside() {
  return {.latency = 0.13e-6,
          .send = {{0, 20e-9, 0.3e-9}, {4041, 20e-9, 0}},
          .receive = {{0, 0.27e-6, 0.06e-9}, {4041, 2.6e-6, 0.07e-9}},
          .gap = 0,
          .eager_limit = 4040,
          .rendezvous = 0.2e-6,
          .bandwidth = 0};
}

}  // namespace

AssumedCosts assumed_costs(LinkRate rate, bool direct) {
  const Fabric& fabric = fabric_of(rate, direct);
  constexpr Bytes in_cache = Bytes{1} << 18;
  constexpr Bytes in_memory = Bytes{1} << 22;
  return {{.inside = costs_inside(),
           .between = costs_over(fabric),
           .copy = {{0, 3e-9, 8e-12}, {in_cache, 0, 26e-12}, {in_memory, 0, 37e-12}},
           .reduce = {{0, 10e-9, 12e-12}, {in_cache, 0, 27e-12}, {in_memory, 0, 34e-12}},
           .cache_refill = {}},
          fabric.link};
}

}  // namespace ayatori
