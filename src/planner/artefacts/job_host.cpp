#include "ayatori/artefacts/job_host.hpp"

#include "ayatori/network/host_name.hpp"

namespace ayatori {

bool is_same_host(std::string_view a, std::string_view b) { return short_host_name(a) == short_host_name(b); }

bool names_own_host(std::string_view name) { return name == "127.0.0.1" || short_host_name(name) == "localhost"; }

}  // namespace ayatori
