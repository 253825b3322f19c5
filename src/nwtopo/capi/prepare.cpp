// What a program says of a topology before it is loaded: flags, source, host pattern, aliases, this machine, faults,
// tables.

#include <cerrno>

#include "handle.hpp"

namespace ayatori::capi {

namespace {

constexpr unsigned long known_flags = NWTOPO_TOPOLOGY_FLAG_PHYSICAL_VIEW | NWTOPO_TOPOLOGY_FLAG_WHOLE_SYSTEM |
                                      NWTOPO_TOPOLOGY_FLAG_NO_MACHINES | NWTOPO_TOPOLOGY_FLAG_NO_HOSTNAMES |
                                      NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS | NWTOPO_TOPOLOGY_FLAG_THIS_JOB;
constexpr unsigned long job_flags = NWTOPO_TOPOLOGY_FLAG_WHOLE_SYSTEM | NWTOPO_TOPOLOGY_FLAG_THIS_JOB;

int set_text(nwtopo_topology_t topology, std::optional<std::string> Session::* member, const char* text) {
  return with_unloaded(topology, [&](Session& session) -> int {
    session.*member = text == nullptr ? std::nullopt : std::optional<std::string>(text);
    return 0;
  });
}

}  // namespace

}  // namespace ayatori::capi

using namespace ayatori;
using namespace ayatori::capi;

extern "C" {

unsigned long nwtopo_topology_get_flags(nwtopo_topology_t topology) {
  const Session* const session = session_of(topology);
  return session == nullptr ? 0 : session->flags;
}

int nwtopo_topology_set_flags(nwtopo_topology_t topology, unsigned long flags) {
  return with_unloaded(topology, [&](Session& session) -> int {
    if ((flags & ~known_flags) != 0) return refuse(EINVAL, "unknown flags {:#x}", flags & ~known_flags);
    if ((flags & job_flags) == job_flags) return refuse(EINVAL, "WHOLE_SYSTEM and THIS_JOB exclude each other");
    session.flags = flags;
    return 0;
  });
}

int nwtopo_topology_set_source(nwtopo_topology_t topology, const char* source) {
  const int set = set_text(topology, &Session::source, source);
  if (set == 0) session_of(topology)->buffer = {};
  return set;
}

const char* nwtopo_topology_get_source(nwtopo_topology_t topology) {
  const Session* const session = session_of(topology);
  if (session == nullptr) return nullptr;
  if (session->loaded) return session->loaded->source.c_str();
  return session->source ? session->source->c_str() : nullptr;
}

int nwtopo_topology_set_buffer(nwtopo_topology_t topology, const void* buffer, size_t size) {
  return with_unloaded(topology, [&](Session& session) -> int {
    if (buffer == nullptr && size > 0) return refuse(EINVAL, "the buffer is NULL");
    session.buffer = {static_cast<const std::byte*>(buffer), size};
    if (buffer != nullptr) session.source.reset();
    return 0;
  });
}

int nwtopo_topology_set_host_pattern(nwtopo_topology_t topology, const char* pattern) {
  return set_text(topology, &Session::host_pattern, pattern);
}

int nwtopo_topology_set_aliases(nwtopo_topology_t topology, const char* file) {
  return set_text(topology, &Session::aliases, file);
}

int nwtopo_topology_set_this_machine(nwtopo_topology_t topology, const char* machine) {
  return set_text(topology, &Session::this_machine, machine);
}

int nwtopo_topology_set_faults(nwtopo_topology_t topology, const char* faults) {
  return set_text(topology, &Session::faults, faults);
}

int nwtopo_topology_set_tables(nwtopo_topology_t topology, const char* file) {
  return set_text(topology, &Session::tables, file);
}

}  // extern "C"
