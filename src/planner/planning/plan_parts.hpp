#pragma once
/// \file
/// Jobs within a job. Parts that no cable joins, as rails are: each is planned like a job of its own. And the
/// endpoints: paths join them, however many ranks each has.

#include <cstdint>
#include <span>
#include <vector>

#include "ayatori/artefacts/plan.hpp"
#include "ayatori/network/network.hpp"
#include "ayatori/network/step.hpp"

namespace ayatori {

/// Ranks by the connected component in which their endpoints are, in the order of their lowest ranks; no part if an
/// endpoint has no cable, which JobEndpoints complains of.
[[nodiscard]] std::vector<std::vector<Rank>> ranks_by_part(const Network& network, std::span<const PortId> endpoints);

/// Of each step the messages between ranks of a part, which number them from 0. Refers to what it was made of.
class StepsOfPart final : public StepSequence {
 public:
  StepsOfPart(const StepSequence& all, const std::vector<Rank>& number, Rank ranks)
      : all_(all), number_(number), ranks_(ranks) {}

  [[nodiscard]] Rank rank_count() const override { return ranks_; }
  [[nodiscard]] std::size_t step_count() const override { return all_.step_count(); }
  void step(std::size_t index, std::vector<Message>& messages) const override;

 private:
  const StepSequence& all_;
  const std::vector<Rank>& number_;
  Rank ranks_;
};

class PartOfJob {
 public:
  /// `ranks` are those of the part, of a job with these endpoints.
  PartOfJob(std::span<const PortId> endpoints, std::vector<Rank> ranks);

  [[nodiscard]] const std::vector<PortId>& endpoints() const { return endpoints_; }
  [[nodiscard]] StepsOfPart steps_of(const StepSequence& all) const {
    return {all, number_, static_cast<Rank>(ranks_.size())};
  }
  /// What a plan of the whole job says of the part's pairs.
  [[nodiscard]] Plan pairs_of(const Plan& whole) const;
  /// Puts path bits of the part where its ranks, or its pairs, are in the job.
  void place(const Plan& part, std::vector<std::uint8_t>& bits) const;

 private:
  std::vector<Rank> ranks_;
  std::vector<Rank> number_;  // of each rank of the job in the part; no_id: it is in another one
  std::vector<PortId> endpoints_;
};

/// The messages of each step between endpoints, each pair once.
class StepsOfEndpoints final : public StepSequence {
 public:
  StepsOfEndpoints(const StepSequence& all, const std::vector<Rank>& number, Rank endpoints)
      : all_(all), number_(number), endpoints_(endpoints) {}

  [[nodiscard]] Rank rank_count() const override { return endpoints_; }
  [[nodiscard]] std::size_t step_count() const override { return all_.step_count(); }
  void step(std::size_t index, std::vector<Message>& messages) const override;

 private:
  const StepSequence& all_;
  const std::vector<Rank>& number_;
  Rank endpoints_;
};

/// A job's endpoints as its ranks, in the order in which its ranks have them.
class EndpointsOfJob {
 public:
  explicit EndpointsOfJob(std::span<const PortId> endpoints);

  [[nodiscard]] const std::vector<PortId>& endpoints() const { return endpoints_; }
  /// Whether some endpoint has several ranks.
  [[nodiscard]] bool shared() const { return endpoints_.size() < number_.size(); }
  [[nodiscard]] StepsOfEndpoints steps_of(const StepSequence& all) const {
    return {all, number_, static_cast<Rank>(endpoints_.size())};
  }
  /// A plan of pairs of endpoints, for the pairs of ranks.
  [[nodiscard]] Plan for_ranks(const Plan& plan) const;

 private:
  std::vector<Rank> number_;  // by rank: its endpoint
  std::vector<PortId> endpoints_;
};

}  // namespace ayatori
