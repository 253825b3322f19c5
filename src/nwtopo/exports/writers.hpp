#pragma once
/// \file
/// The writers that live in this folder, one a file. Each calls the sink only when nothing can fail any more.

#include "ayatori/base/error.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/exports/exports.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori::exports {

/// Graphviz: routers are boxes, machines ellipses (points when there are many), levels of a tree are ranks. Bundles of
/// parallel cables are one edge, labelled with their rate; colours show the planes, dashes the degraded cables.
[[nodiscard]] Result<> write_dot(const Network& network, const Sink& sink);

/// GraphML (http://graphml.graphdrawing.org/specification.html): one edge a cable, attributes with types.
///   node  kind ("machine", "router"), name, plane (of a router), level (in a tree: 0 machines, 1 leaves, …)
///   edge  plane, rate ("4xNDR"), bandwidth (bytes a second) and latency (ns; both left out where not known),
///   from_port, to_port,
///         degraded
[[nodiscard]] Result<> write_graphml(const Network& network, const Sink& sink);

/// A target architecture of Scotch (its user's guide, "Target architecture files"), for gmap, and SCOTCH_archLoad() of
/// programs that map processes or parts of a mesh onto machines. Processor i is the i-th machine in network order, and
/// distances are hops.
///   torusXD, mesh2D, mesh3D  a torus or mesh of machines
///   cmplt                    all machines are equally far from each other; then the distance is 1
///   tleaf                    a tree whose groups of a level are alike
///   deco                     all others: halves of halves in network order, and a table of distances
/// Error: a network in parts, or without machines; one with a table of more than 4,096 machines.
[[nodiscard]] Result<> write_scotch(const Network& network, const Sink& sink);

/// A SimGrid platform, version 4.1 (https://simgrid.org/doc/latest/XML_reference.html). Machines are hosts of 1 Gf/s,
/// routers are routers, the cables between two of them are a split-duplex link of their total payload rate, with the
/// latency of the network, or 1 µs where none is known. SimGrid finds shortest routes itself, one between any two hosts
/// (with Floyd's algorithm in small networks, Dijkstra's in others), so the file grows with the cables only. A machine
/// with several NICs does not forward between its routers: its cables count as a long detour.
/// Error: a cable whose rate is not known.
[[nodiscard]] Result<> write_simgrid(const Network& network, const Sink& sink);

/// A picture (SVG 1.1 without scripts), laid out by drawing::draw(). Planes have colours; degraded and missing cables
/// are red. Error: no router, or more than a picture can show.
[[nodiscard]] Result<> write_svg(const Network& network, const Sink& sink);
[[nodiscard]] Result<> write_marked_svg(const Network& network, const PictureMarks& marks, const Sink& sink);

}  // namespace ayatori::exports
