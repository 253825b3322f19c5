#pragma once
/// \file
/// The paths of several jobs on one network as those of one: all their ranks, job after job, and then the routers that
/// take part, in the same order. No messages go from one job to another.

#include <span>
#include <vector>

#include "ayatori/flow/paths.hpp"
#include "drifting_schedule.hpp"

namespace ayatori {

class JoinedPaths final : public Paths {
 public:
  /// `ranks[job]` of the participants of `jobs[job]` are ranks. What is referred to must outlive it. Preconditions: at
  /// least one job; links, machines and NICs are numbered alike in all of them, and all split by load or none does.
  JoinedPaths(std::vector<const Paths*> jobs, std::span<const Rank> ranks);

  /// Where a job's participants are among all.
  [[nodiscard]] ParticipantPlacement placement(std::size_t job) const { return placement_[job]; }

  [[nodiscard]] std::size_t link_count() const override { return jobs_.front()->link_count(); }
  [[nodiscard]] double bytes_per_second(std::uint32_t link) const override {
    return jobs_.front()->bytes_per_second(link);
  }
  [[nodiscard]] double latency(std::uint32_t link) const override { return jobs_.front()->latency(link); }
  [[nodiscard]] std::string name(std::uint32_t link) const override { return jobs_.front()->name(link); }
  [[nodiscard]] Rank participant_count() const override { return static_cast<Rank>(participants_.size()); }
  [[nodiscard]] std::uint32_t machine(Rank participant) const override;
  [[nodiscard]] std::uint32_t nic(Rank rank) const override;
  [[nodiscard]] std::uint32_t machine_count() const override { return machine_count_; }
  [[nodiscard]] std::uint32_t nic_count() const override { return nic_count_; }
  void path(Rank from, Rank to, std::vector<std::uint32_t>& links) const override;
  [[nodiscard]] std::uint32_t part_count(Rank from, Rank to, Bytes bytes) const override;
  void part(std::uint32_t number, Rank from, Rank to, PartPath& path, Bytes bytes) const override;
  [[nodiscard]] std::uint32_t plane(Rank from, Rank to, Bytes bytes) const override;
  [[nodiscard]] bool splits_by_load() const override { return jobs_.front()->splits_by_load(); }

 private:
  struct Participant {
    std::uint32_t job;
    Rank number;  // in its job
  };

  std::vector<const Paths*> jobs_;
  std::vector<ParticipantPlacement> placement_;  // by job
  std::vector<Participant> participants_;
  std::uint32_t machine_count_ = 0;
  std::uint32_t nic_count_ = 0;
};

}  // namespace ayatori
