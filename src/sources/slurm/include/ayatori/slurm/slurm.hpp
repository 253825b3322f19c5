#pragma once
/// \file
/// Slurm's topology files: topology.conf (topology/tree, topology/block) and topology.yaml (Slurm 25.05), both as
/// described in their manual pages (https://slurm.schedmd.com/topology.conf.html, …/topology.yaml.html).
///
/// A tree's switches are routers, and each node has a NIC on the switch that lists it. What Slurm only warns of is
/// legal here too: a node under two leaf switches has two NICs (rails), a switch under two switches is cabled to both,
/// as the topology guide's second example shows. A block is a router too; above the blocks stands a router for each
/// group of the sizes in BlockSizes, and one above all, so that blocks make a tree. Slurm knows no rates and no ports:
/// cables have no rate (LinkSpeed is in units of the writer's own), and ports are numbered as listed, upwards last.

#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// "FILE" or "FILE,topology=NAME": opens either format, told apart by what is in it. NAME picks one of a YAML file's
/// topologies; without it: the first with `cluster_default: true`, or the only one.
[[nodiscard]] Result<Network> open_slurm(std::string_view rest);

/// Both name file and line in their errors: words that Slurm does not know, switches or blocks told twice, children
/// that nobody describes, switches in a circle, a switch with both nodes and children (Slurm refuses that), a node
/// twice under one switch, malformed host lists, more than 2^18 hosts. Topologies without structure (`flat`, rings,
/// `torus3d`) are refused by name.
[[nodiscard]] Result<Network> parse_slurm_conf(std::string_view text, std::string_view file);
[[nodiscard]] Result<Network> parse_slurm_yaml(std::string_view text, std::string_view file, std::string_view topology);

/// topology.conf and topology.yaml of a tree. Routers with the same switches below them are written as one, as the
/// topology guide advises ("one top level switch": Slurm's work grows with the cube of the number of switches); a
/// comment tells which. Machines on a router above the leaves stand under a switch of their own, ROUTER-nodes, since
/// Slurm allows no switch to have both; machines without a cable are left out. Names lose what Slurm can't read: "Leaf
/// 1" becomes "Leaf-1". Error: a network that is no tree of levels, or has no machine.
[[nodiscard]] Result<> write_slurm_conf(const Network& network, const Sink& sink);
[[nodiscard]] Result<> write_slurm_yaml(const Network& network, const Sink& sink);

}  // namespace ayatori
