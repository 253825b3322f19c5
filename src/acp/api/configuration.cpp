#include "configuration.hpp"

namespace ayatori::acp {

onesided::Settings memory_settings(const Setup& setup, std::size_t datagram_bytes) {
  const launch::Placement& placement = setup.placement;
  onesided::Settings settings;
  settings.identity = {
      .self = placement.rank, .key = placement.job_key, .seed = seed_of(placement), .procs = placement.procs};
  settings.procs = placement.procs;
  settings.endpoint.datagram_bytes = static_cast<std::uint32_t>(datagram_bytes);
  settings.endpoint.give_up_after = setup.give_up_after;
  settings.connections = setup.connections;
  settings.adapter_atomics = setup.adapter_atomics;
  return settings;
}

Bytes starter_bytes_of_each(const Setup& setup) { return (setup.starter_bytes + page - 1) / page * page; }

}  // namespace ayatori::acp
