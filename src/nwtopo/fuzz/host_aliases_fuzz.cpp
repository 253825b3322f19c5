// Other names of hosts, of any bytes: the hosts are found by each of them, or a one-line error names the file.

#include <cstdint>
#include <string_view>

#include "ayatori/network/builder.hpp"
#include "ayatori/network/host_aliases.hpp"
#include "ayatori/network/job.hpp"
#include "require.hpp"

using namespace ayatori;

namespace {

Network small_network() {
  NetworkBuilder builder;
  const auto leaf = builder.add_router("leaf", 0x1000, 16);
  for (const char* name : {"n1", "n2", "i-0a1", "Node03.cluster", "10.0.0.1"}) {
    const auto port = static_cast<PortNumber>(builder.device_count());
    const auto nic = builder.add_nic(name, 0x100U * port, 1, name, 0);
    require(builder.connect(nic, 1, leaf, port, {}).has_value());
  }
  return *builder.build();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Network network = small_network();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto named = with_aliases(network, text, "aliases");
  if (!named) {
    require(named.error().message.starts_with("aliases:"));
    require(named.error().message.find('\n') == std::string::npos);
    return 0;
  }
  for (const HostAlias& alias : named->aliases()) {
    const HostEntry entry{alias.name, 1, 1};
    const auto job = place_job(*named, std::span(&entry, 1), "hosts", 0, RankOrder::as_given);
    require(job && job->machine_of_rank.front() == alias.machine);
  }
  return 0;
}
