#pragma once
/// \file
/// Where the ranks of a job stand. A *node* is a NIC port that ranks of the job use (several ranks on one NIC are
/// one node), numbered in network order: its number is the local node id of paper 1, section 4.2. A *site* is a router
/// with nodes of the job on it, a leaf as a rule; an endpoint without a router is a site by itself.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/step.hpp"

namespace ayatori {

class JobEndpoints {
 public:
  /// Error: endpoints that are not as many as the steps' ranks.
  [[nodiscard]] static Result<JobEndpoints> of(const Network& network, std::span<const PortId> endpoints,
                                               const StepSequence& steps);

  [[nodiscard]] std::size_t rank_count() const { return node_of_rank_.size(); }
  [[nodiscard]] std::uint32_t node_count() const { return static_cast<std::uint32_t>(endpoint_.size()); }
  [[nodiscard]] std::uint32_t site_count() const { return static_cast<std::uint32_t>(first_node_.size()); }

  [[nodiscard]] std::uint32_t node_of(Rank rank) const { return node_of_rank_[rank]; }
  [[nodiscard]] PortId endpoint(std::uint32_t node) const { return endpoint_[node]; }
  [[nodiscard]] std::uint32_t site(std::uint32_t node) const { return site_[node]; }
  [[nodiscard]] std::uint32_t first_node(std::uint32_t site) const { return first_node_[site]; }

  /// Messages between ranks of one machine stay inside it.
  [[nodiscard]] bool uses_network(const Message& message) const {
    return machine_of_rank_[message.from] != machine_of_rank_[message.to];
  }
  /// Messages between nodes of one site meet nobody but on their own endpoints' cables.
  [[nodiscard]] bool leaves_site(const Message& message) const {
    return uses_network(message) && site_[node_of(message.from)] != site_[node_of(message.to)];
  }

 private:
  std::vector<std::uint32_t> node_of_rank_;
  std::vector<MachineId> machine_of_rank_;
  std::vector<PortId> endpoint_;           // by node
  std::vector<std::uint32_t> site_;        // by node
  std::vector<std::uint32_t> first_node_;  // by site
};

/// What one message costs on a link: r0 / r(l) of contention.hpp. r0 is the rate of the job's fastest endpoint;
/// links whose rate nobody told count as r0.
class LinkWeights {
 public:
  LinkWeights(const Network& network, std::span<const PortId> endpoints);

  [[nodiscard]] double operator[](PortId link) const { return weight_[link]; }

 private:
  std::vector<double> weight_;  // by port id
};

/// Messages that a link carries within a time: the largest n with n · weight <= time.
[[nodiscard]] std::uint32_t capacity(double time, double weight);

/// How long a step takes on the endpoints' own cables: ideal(s) of contention.hpp. Not for concurrent use.
class IdealTime {
 public:
  IdealTime(const Network& network, const JobEndpoints& nodes, const LinkWeights& weights);

  [[nodiscard]] double of(std::span<const Message> messages);

 private:
  const JobEndpoints& nodes_;
  std::vector<double> send_weight_;  // by node
  std::vector<double> receive_weight_;
  std::vector<std::uint32_t> sent_;
  std::vector<std::uint32_t> received_;
};

}  // namespace ayatori
