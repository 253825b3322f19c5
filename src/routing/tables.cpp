#include "ayatori/routing/tables.hpp"

namespace ayatori {

ForwardingTables::ForwardingTables(std::size_t routers, Lid last_lid)
    : width_(std::size_t{last_lid} + 1), entries_(routers * width_, no_port) {}

}  // namespace ayatori
