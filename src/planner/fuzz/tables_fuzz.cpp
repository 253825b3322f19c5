/// Whatever a table file holds, reading it gives an error or tables that can be checked and written, and that are the
/// same when read again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ayatori/network/builder.hpp"
#include "ayatori/routing/check.hpp"
#include "ayatori/tables/table_files.hpp"

namespace ayatori {
namespace {

/// The fabric that the corpus is about: leaves S-1 and S-2, roots S-3 and S-4, two hosts a leaf.
Network sample_network() {
  NetworkBuilder builder;
  const auto connect = [&](auto a, int port_a, auto b, int port_b) {
    if (!builder.connect(a, static_cast<PortNumber>(port_a), b, static_cast<PortNumber>(port_b), {})) std::abort();
  };
  for (Guid i = 0; i < 4; ++i) builder.add_router("S-" + std::to_string(i + 1), 0x200000 + i, 4);
  for (NetworkBuilder::Handle i = 0; i < 4; ++i) {
    const std::string name = "H-" + std::to_string(i + 1);
    connect(builder.add_nic(name, 0x100000 + 2 * i, 1, name, 0), 1, i / 2, 1 + static_cast<int>(i % 2));
  }
  for (NetworkBuilder::Handle leaf = 0; leaf < 2; ++leaf) {
    for (NetworkBuilder::Handle root = 2; root < 4; ++root) {
      connect(leaf, static_cast<int>(root) + 1, root, static_cast<int>(leaf) + 1);
    }
  }
  return builder.build().value();
}

std::string written(const Network& network, const Routes& routes) {
  std::string text;
  write_tables(network, routes, [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace
}  // namespace ayatori

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ayatori;
  static const Network network = sample_network();
  const auto routes = parse_tables({reinterpret_cast<const char*>(data), size}, "lfts", network);
  if (!routes) return 0;
  if (routes->tables.last_lid() < 1024) (void)check_tables(network, *routes);
  const auto again = parse_tables(written(network, *routes), "lfts", network);
  if (!again || again->tables != routes->tables) std::abort();
  return 0;
}
