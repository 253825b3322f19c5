/// Whatever files of service levels and of SL-to-VL mappings hold, reading them gives errors or what can be checked.
/// The first line that says "--" parts the two files.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ayatori/network/builder.hpp"
#include "ayatori/routing/generate.hpp"
#include "ayatori/routing/virtual_lanes.hpp"

namespace ayatori {
namespace {

/// The fabric that the corpus is about: a ring of three routers with a host each.
Network sample_ring() {
  NetworkBuilder builder;
  const auto connect = [&](auto a, int port_a, auto b, int port_b) {
    if (!builder.connect(a, static_cast<PortNumber>(port_a), b, static_cast<PortNumber>(port_b), {})) std::abort();
  };
  for (Guid i = 0; i < 3; ++i) builder.add_router("S-" + std::to_string(i), 0x200000 + i, 3);
  for (NetworkBuilder::Handle i = 0; i < 3; ++i) {
    const std::string name = "H-" + std::to_string(i);
    connect(builder.add_nic(name, 0x100000 + 2 * i, 1, name, 0), 1, i, 1);
    connect(i, 2, (i + 1) % 3, 3);
  }
  return builder.build().value();
}

}  // namespace
}  // namespace ayatori

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ayatori;
  static const Network network = sample_ring();
  static const Routes routes = generate_routes(network, 0).value().routes;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto parting = text.find("\n--\n");
  const auto levels = parse_path_service_levels(text.substr(0, parting), "sl", network, routes.lids);
  const auto lanes = parse_sl_to_vl(parting == std::string_view::npos ? text : text.substr(parting + 4), "vl", network);
  if (levels && levels->count() > 0 && !lanes) (void)check_lanes(network, routes, &*levels, nullptr);
  if (!lanes) return 0;
  const LaneCheck check = check_lanes(network, routes, levels ? &*levels : nullptr, &*lanes);
  if (check.cycle.empty() != check.deadlock_free || check.lanes.size() > 15) std::abort();
  return 0;
}
