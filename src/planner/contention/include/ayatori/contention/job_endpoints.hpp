#pragma once
/// \file
/// Where the ranks of a job are attached to the network. An *endpoint* is a NIC port that ranks of the job use; several
/// ranks may share one. Endpoints are numbered from 0 in network order: the number of an endpoint is the "local node
/// id" of paper 1, section 4.2. A *leaf* is a router with endpoints of the job on it; an endpoint that is not cabled to
/// a router is a leaf of its own. Leaves are numbered from 0, too, and the endpoints of a leaf have consecutive
/// numbers.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/step.hpp"

namespace ayatori {

/// Endpoints and leaves of a job by rank. Immutable.
class JobEndpoints {
 public:
  /// `ports_of_ranks` has the port of each rank. Errors: more or fewer ranks than `steps` has; a port without a cable.
  [[nodiscard]] static Result<JobEndpoints> of(const Network& network, std::span<const PortId> ports_of_ranks,
                                               const StepSequence& steps);

  [[nodiscard]] std::size_t rank_count() const { return endpoint_of_rank_.size(); }
  [[nodiscard]] std::uint32_t endpoint_count() const { return static_cast<std::uint32_t>(port_.size()); }
  [[nodiscard]] std::uint32_t leaf_count() const { return static_cast<std::uint32_t>(first_endpoint_.size()); }

  [[nodiscard]] std::uint32_t endpoint_of(Rank rank) const { return endpoint_of_rank_[rank]; }
  [[nodiscard]] PortId port(std::uint32_t endpoint) const { return port_[endpoint]; }
  [[nodiscard]] std::uint32_t leaf(std::uint32_t endpoint) const { return leaf_[endpoint]; }
  [[nodiscard]] std::uint32_t first_endpoint(std::uint32_t leaf) const { return first_endpoint_[leaf]; }

  /// False for a message between ranks of one machine, which stays inside it.
  [[nodiscard]] bool uses_network(const Message& message) const {
    return machine_of_rank_[message.from] != machine_of_rank_[message.to];
  }
  /// False also for a message within a leaf: it only uses the cables of its two endpoints.
  [[nodiscard]] bool crosses_leaves(const Message& message) const {
    return uses_network(message) && leaf_[endpoint_of(message.from)] != leaf_[endpoint_of(message.to)];
  }

 private:
  std::vector<std::uint32_t> endpoint_of_rank_;
  std::vector<MachineId> machine_of_rank_;
  std::vector<PortId> port_;                   // by endpoint
  std::vector<std::uint32_t> leaf_;            // by endpoint
  std::vector<std::uint32_t> first_endpoint_;  // by leaf
};

/// The time of one message on each link: r0 / r(l) of contention.hpp. r0 is the rate of the fastest endpoint of the
/// job; a link of unknown rate counts as r0.
class LinkWeights {
 public:
  LinkWeights(const Network& network, std::span<const PortId> endpoints);

  [[nodiscard]] double operator[](PortId link) const { return weight_[link]; }

 private:
  std::vector<double> weight_;  // by port id
};

/// How many messages a link carries within a time: the largest n with n · weight <= time.
[[nodiscard]] std::uint32_t capacity(double time, double weight);

/// The time of a step on the cables of the endpoints: ideal(s) of contention.hpp. Not safe for concurrent use.
class IdealTime {
 public:
  IdealTime(const Network& network, const JobEndpoints& endpoints, const LinkWeights& weights);

  [[nodiscard]] double of(std::span<const Message> messages);

 private:
  const JobEndpoints& endpoints_;
  std::vector<double> send_weight_;  // by endpoint
  std::vector<double> receive_weight_;
  std::vector<std::uint32_t> sent_;
  std::vector<std::uint32_t> received_;
};

}  // namespace ayatori
