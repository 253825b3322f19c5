#include <fmt/core.h>

#include <array>

#include "ayatori/base/text.hpp"
#include "ayatori/network/builder.hpp"
#include "ayatori/synthetic/synthetic.hpp"
#include "formula.hpp"

namespace ayatori {

namespace {

Result<std::uint64_t> parse_router_count(const Formula& formula) {
  constexpr std::uint64_t most = max_ports + 1;
  if (formula.shape().empty() == formula.has("nodes")) {
    if (formula.has("nodes")) return formula.number("nodes", 0, 1, most);
    const auto count = parse_unsigned<std::uint64_t>(formula.shape());
    if (count && *count >= 1 && *count <= most) return *count;
    return formula.wrong(fmt::format("expected 1 to {} routers instead of '{}'", most, formula.shape()));
  }
  return formula.wrong("expected the number of routers, once");
}

/// Ports of router i: its hosts, then the other routers in their order.
PortNumber port_towards(std::uint64_t from, std::uint64_t to, std::uint64_t hosts) {
  return static_cast<PortNumber>(hosts + (to < from ? to + 1 : to));
}

Result<Network> build(std::uint64_t routers, std::uint64_t hosts, LinkRate rate) {
  NetworkBuilder builder;
  if (hosts == 1) builder.set_direct();
  for (std::uint64_t i = 0; i < routers; ++i) {
    builder.add_router(fmt::format("R{}", i), router_guid(i), static_cast<PortNumber>(hosts + routers - 1));
  }
  for (NetworkBuilder::Handle i = 0; i < routers; ++i) {
    for (std::uint64_t host = 0; host < hosts; ++host) {
      const std::uint64_t index = i * hosts + host;
      const auto nic = add_host_nic(builder, fmt::format("N{}", index), index, 1, 0);
      if (auto ok = builder.connect(nic, 1, i, static_cast<PortNumber>(1 + host), rate); !ok)
        return Failure(ok.error());
    }
    for (NetworkBuilder::Handle j = 0; j < i; ++j) {
      auto ok = builder.connect(i, port_towards(i, j, hosts), j, port_towards(j, i, hosts), rate);
      if (!ok) return Failure(ok.error());
    }
  }
  return builder.build();
}

}  // namespace

Result<Network> open_full(std::string_view rest) {
  constexpr std::array<std::string_view, 3> keys = {"nodes", "hosts", "rate"};
  const auto formula = Formula::parse("full", "full:8,hosts=4", rest, keys);
  if (!formula) return Failure(formula.error());
  const auto routers = parse_router_count(*formula);
  if (!routers) return Failure(routers.error());
  const auto hosts = formula->number("hosts", 1, 0, max_ports);
  if (!hosts) return Failure(hosts.error());
  const auto rate = formula->rate();
  if (!rate) return Failure(rate.error());
  if (*hosts + *routers - 1 > max_ports) {
    return formula->wrong(
        fmt::format("a router would need {} ports; the maximum is {}", *hosts + *routers - 1, max_ports));
  }
  return build(*routers, *hosts, *rate);
}

}  // namespace ayatori
