// Hostfiles and host lists of any bytes: a job or a one-line error that names the file.

#include <cstdint>
#include <string_view>

#include "ayatori/network/builder.hpp"
#include "ayatori/network/job.hpp"
#include "require.hpp"

using namespace ayatori;

namespace {

Network small_network() {
  NetworkBuilder builder;
  const auto leaf = builder.add_router("leaf", 0x1000, 16);
  for (const char* name : {"n1", "n2", "Node03.cluster", "a08-p1-dgx-04-c01", "10.0.0.1"}) {
    const auto port = static_cast<PortNumber>(builder.device_count());
    const auto nic = builder.add_nic(name, 0x100U * port, 1, name, 0);
    require(builder.connect(nic, 1, leaf, port, {}).has_value());
  }
  builder.add_unnamed_nic("dark", 0xda00, 1);
  return *builder.build();
}

void check_message(const Error& error) {
  require(error.message.starts_with("hosts:"));
  require(error.message.find('\n') == std::string::npos && error.message.find('\0') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Network network = small_network();
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  const auto list = expand_hostlist(text);
  if (list) {
    for (const std::string& host : *list) require(!host.empty() && host.size() <= 255);
  }

  const auto hosts = parse_hostfile(text, "hosts");
  if (!hosts) {
    check_message(hosts.error());
    return 0;
  }
  require(!hosts->empty());
  for (const RankOrder order : {RankOrder::network, RankOrder::as_given}) {
    const auto job = place_job(network, *hosts, "hosts", 0, order);
    if (!job) {
      check_message(job.error());
    } else if (job->rank_count() < 1000) {
      require(endpoints_of_ranks(network, *job).size() == job->rank_count());
    }
  }
  return 0;
}
