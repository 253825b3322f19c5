#pragma once
/// \file
/// Slurm's topology files: topology.conf (topology/tree, topology/block) and topology.yaml (Slurm 25.05), both as
/// described in their manual pages (https://slurm.schedmd.com/topology.conf.html, …/topology.yaml.html); and what
/// `scontrol show topology` prints of a tree or of blocks, also as a terminal shows it: wrapped, between prompts.
///
/// A tree's switches are routers, and each node has a NIC on the switch that lists it. What Slurm only warns of is
/// legal here too: a node under two leaf switches has two NICs (rails), a switch under two switches is cabled to both,
/// as in the second example of the topology guide. A block is a router, too. Blocks form a tree: there is one router
/// for each group of blocks of the sizes in BlockSizes, and one above all of them. Slurm has no rates and no ports:
/// cables have no rate (the unit of LinkSpeed is up to the writer), and ports are numbered as listed, upwards last.

#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// "FILE" or "FILE,topology=NAME": opens either format, which its content shows. NAME selects a topology of a YAML
/// file; the default is the first with `cluster_default: true`, or the only one.
[[nodiscard]] Result<Network> open_slurm(std::string_view rest);

/// Parse one of the formats; parse_slurm_conf also reads scontrol's. What scontrol says twice must agree: a node below
/// a switch or in a group of blocks that is not listed further down is an error, since a line is missing. Errors name
/// file and line: words that Slurm does not know, switches or blocks that are defined twice, children that are not
/// defined, cycles of switches, a switch with both nodes and children (Slurm refuses it, too), a node that is listed
/// twice under one switch, malformed host lists, more than 2^18 hosts, and topologies without a tree (`flat`, rings,
/// `torus3d`).
[[nodiscard]] Result<Network> parse_slurm_conf(std::string_view text, std::string_view file);
[[nodiscard]] Result<Network> parse_slurm_yaml(std::string_view text, std::string_view file, std::string_view topology);

/// Write topology.conf and topology.yaml of a tree. Routers with the same switches below them are written as one, as
/// the topology guide advises ("one top level switch": Slurm's work grows with the cube of the number of switches); a
/// comment lists them. Each machine is under one switch, as Slurm needs it: leaves of rails, which share at least half
/// of their machines, are written as one. Leaves that are all cabled to each other have a switch above them,
/// LEAF-above, if no router is there. Of several planes those for neighbours are written. Machines on a router above
/// the leaves are written under a switch of their own, ROUTER-nodes, since no switch in Slurm has both nodes and
/// children; machines without a cable are left out. Characters of names that Slurm cannot read are replaced: "Leaf 1"
/// becomes "Leaf-1". Errors: the network is not a tree of levels; it has no machine.
[[nodiscard]] Result<> write_slurm_conf(const Network& network, const Sink& sink);
[[nodiscard]] Result<> write_slurm_yaml(const Network& network, const Sink& sink);

}  // namespace ayatori
