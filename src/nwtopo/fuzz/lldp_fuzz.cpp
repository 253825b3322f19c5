// LLDP reports: a network with every device that reported, or an error that says something.

#include <cstdint>
#include <string_view>

#include "ayatori/lldp/lldp.hpp"
#include "require.hpp"

using namespace ayatori;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto reports = parse_lldp(text, "fuzz", "n1", LldpRole::unknown);
  if (!reports) {
    require(reports.error().message.starts_with("fuzz:"));
    return 0;
  }
  const auto network = network_of_lldp(*reports);
  if (!network) {
    require(!network.error().message.empty());
    return 0;
  }
  require(network->machines().size() + network->router_count() >= reports->size());
  std::size_t links = 0;
  for (const LldpReport& report : *reports) links += report.neighbours.size();
  require(network->link_count() <= links);
  // The cables of switches' management ports are left out where there is a plane for management.
  require(network->planes().size() > 1 || 2 * network->link_count() >= links);
  return 0;
}
