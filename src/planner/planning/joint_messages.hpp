#pragma once
/// \file
/// The messages of several small jobs, with all paths that each can take, for searches over all of them at once.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ayatori/artefacts/plan.hpp"
#include "concurrent_planner.hpp"
#include "job_paths.hpp"

namespace ayatori {

/// A message between leaves.
struct JointMessage {
  std::uint32_t job = 0;
  std::uint32_t step = 0;  ///< of all jobs: the steps of a job have consecutive numbers
  std::size_t pair = 0;    ///< of the job, source-major
  std::uint32_t leaf = 0;
  std::uint32_t endpoint = 0;
  std::uint32_t choice = 0;  ///< that of the plan which the messages were collected with
};

class JointMessages {
 public:
  /// `plans` has a plan for each job. Nothing if the jobs are too large for such searches, or if a pair of ranks occurs
  /// in several steps.
  [[nodiscard]] static std::optional<JointMessages> of(std::span<const PlanningTask> jobs, std::span<const Plan> plans);

  [[nodiscard]] std::span<const JointMessage> all() const { return messages_; }
  [[nodiscard]] std::uint32_t step_count() const { return first_step_.back(); }
  [[nodiscard]] std::uint32_t first_step(std::uint32_t job) const { return first_step_[job]; }
  [[nodiscard]] std::uint32_t choice_count(std::uint32_t message) const {
    return jobs_[messages_[message].job].paths.choice_count(messages_[message].endpoint);
  }
  /// The links of a path, numbered from 0 for all jobs.
  [[nodiscard]] std::span<const LinkIndex> route(std::uint32_t message, std::uint32_t choice) const {
    const std::size_t path = first_path_[message] + choice;
    return {links_.data() + path_end_[path], path_end_[path + 1] - path_end_[path]};
  }
  [[nodiscard]] std::uint32_t link_count() const { return static_cast<std::uint32_t>(port_of_link_.size()); }
  [[nodiscard]] PortId port(LinkIndex link) const { return port_of_link_[link]; }

  /// The plans of all jobs with these choices, by message.
  [[nodiscard]] std::vector<Plan> plans(std::span<const std::uint32_t> choices) const;

 private:
  explicit JointMessages(std::span<const PlanningTask> jobs) : jobs_(jobs) {}
  bool collect(std::uint32_t job, const Plan& plan);
  void add_paths(const PlanningTask& task, JointMessage& message, std::uint8_t path_bits);

  std::span<const PlanningTask> jobs_;
  std::vector<JointMessage> messages_;
  std::vector<std::uint32_t> first_step_ = {0};  // by job, and the end
  std::vector<std::size_t> first_path_;          // by message: into path_end_
  std::vector<std::size_t> path_end_ = {0};      // by path: into links_, where the next one begins
  std::vector<LinkIndex> links_;
  std::vector<PortId> port_of_link_;
  std::vector<LinkIndex> link_of_port_;
};

}  // namespace ayatori
