#pragma once
/// \file
/// EC2 instances in the tree of AWS's network nodes: the JSON that `aws ec2 describe-instance-topology` prints
/// (EC2 API reference, DescribeInstanceTopology, InstanceTopology).

#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// Hosts are called by instance ids and hang off the last of their network nodes, of which the first is the top of the
/// tree. A network node stands for a group of switches; it becomes one router. Instances of a type without topology
/// have no cable. Plane "efa". Errors: what is no such document, a listing that ends before its last page (NextToken).
[[nodiscard]] Result<Network> parse_aws(std::string_view text, std::string_view file);
[[nodiscard]] Result<Network> open_aws(std::string_view file);

}  // namespace ayatori
