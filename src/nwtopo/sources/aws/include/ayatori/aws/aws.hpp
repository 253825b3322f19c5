#pragma once
/// \file
/// EC2 instances in the tree of AWS's network nodes: the JSON that `aws ec2 describe-instance-topology` prints
/// (EC2 API reference, DescribeInstanceTopology, InstanceTopology).

#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// Hosts are named by their instance ids. The network nodes of an instance are listed from the top of the tree down;
/// the instance is connected to the last one. AWS's network nodes are groups of switches; each becomes one router.
/// Instances of a type without topology have no cable. The plane is "efa". Errors: not such a document; a listing that
/// ends before its last page (NextToken).
[[nodiscard]] Result<Network> parse_aws(std::string_view text, std::string_view file);
[[nodiscard]] Result<Network> open_aws(std::string_view file);

}  // namespace ayatori
