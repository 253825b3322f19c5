#include "joint_messages.hpp"

#include "graph_colouring.hpp"

namespace ayatori {

namespace {

constexpr std::size_t max_messages = 4000;         ///< of all jobs
constexpr std::size_t max_path_links = 4'000'000;  ///< of all paths of all messages

}  // namespace

std::optional<JointMessages> JointMessages::of(std::span<const PlanningTask> jobs, std::span<const Plan> plans) {
  JointMessages collected(jobs);
  if (!jobs.empty()) collected.link_of_port_.assign(jobs[0].network.port_count(), no_id);
  for (std::uint32_t job = 0; job < jobs.size(); ++job) {
    if (jobs[job].paths.max_choices() > max_colours || !collected.collect(job, plans[job])) return std::nullopt;
  }
  return collected;
}

bool JointMessages::collect(std::uint32_t job, const Plan& plan) {
  const PlanningTask& task = jobs_[job];
  const auto ranks = static_cast<Rank>(task.endpoints.rank_count());
  std::vector<bool> met(std::size_t{ranks} * ranks, false);
  std::vector<Message> messages;
  std::uint32_t step = first_step_.back();
  for (std::size_t s = 0; s < task.steps.step_count(); ++s, ++step) {
    task.steps.step(s, messages);
    for (const Message& m : messages) {
      if (!task.endpoints.crosses_leaves(m)) continue;
      const std::size_t pair = std::size_t{m.from} * ranks + m.to;
      if (met[pair] || messages_.size() >= max_messages || links_.size() > max_path_links) return false;
      met[pair] = true;
      const std::uint32_t leaf = task.endpoints.leaf(task.endpoints.endpoint_of(m.from));
      messages_.push_back({job, step, pair, leaf, task.endpoints.endpoint_of(m.to)});
      add_paths(task, messages_.back(), plan.path_bits(m.from, m.to));
    }
  }
  first_step_.push_back(step);
  return true;
}

void JointMessages::add_paths(const PlanningTask& task, JointMessage& message, std::uint8_t path_bits) {
  first_path_.push_back(path_end_.size() - 1);
  message.choice = task.paths.choice_with(message.endpoint, path_bits).value_or(0);
  for (std::uint32_t choice = 0; choice < task.paths.choice_count(message.endpoint); ++choice) {
    for (const LinkIndex of_job : task.paths.route(message.leaf, message.endpoint, choice)) {
      LinkIndex& link = link_of_port_[task.paths.port(of_job)];
      if (link == no_id) {
        link = link_count();
        port_of_link_.push_back(task.paths.port(of_job));
      }
      links_.push_back(link);
    }
    path_end_.push_back(links_.size());
  }
}

std::vector<Plan> JointMessages::plans(std::span<const std::uint32_t> choices) const {
  std::vector<std::vector<std::uint8_t>> bits;
  for (const PlanningTask& task : jobs_) {
    const auto ranks = static_cast<Rank>(task.endpoints.rank_count());
    bits.emplace_back(std::size_t{ranks} * ranks);
    for (std::size_t pair = 0; pair < bits.back().size(); ++pair) {
      bits.back()[pair] = task.paths.path_bits(task.endpoints.endpoint_of(static_cast<Rank>(pair % ranks)), 0);
    }
  }
  for (std::size_t m = 0; m < messages_.size(); ++m) {
    const JointMessage& message = messages_[m];
    bits[message.job][message.pair] = jobs_[message.job].paths.path_bits(message.endpoint, choices[m]);
  }
  std::vector<Plan> plans;
  for (std::size_t job = 0; job < jobs_.size(); ++job) {
    plans.push_back(Plan::per_pair(static_cast<Rank>(jobs_[job].endpoints.rank_count()), std::move(bits[job])));
  }
  return plans;
}

}  // namespace ayatori
