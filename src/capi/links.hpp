#pragma once
/// \file
/// Links as C sees them.

#include "handle.hpp"

namespace ayatori::capi {

/// Link `index` of an object. Its ends come to exist; an end is NULL if it is a machine and those were left out.
[[nodiscard]] nwtopo_link link_of(const Loaded& topology, ObjectId from, std::uint32_t index);

}  // namespace ayatori::capi
