#include "joined_paths.hpp"

#include <algorithm>

namespace ayatori {

JoinedPaths::JoinedPaths(std::vector<const Paths*> jobs, std::span<const Rank> ranks) : jobs_(std::move(jobs)) {
  for (const Paths* paths : jobs_) {
    machine_count_ = std::max(machine_count_, paths->machine_count());
    nic_count_ = std::max(nic_count_, paths->nic_count());
  }
  const auto add = [&](std::uint32_t job, Rank first, Rank end) {
    const auto place = static_cast<Rank>(participants_.size());
    for (Rank number = first; number < end; ++number) participants_.push_back({job, number});
    return place;
  };
  for (std::uint32_t job = 0; job < jobs_.size(); ++job) placement_.push_back({.ranks = add(job, 0, ranks[job])});
  for (std::uint32_t job = 0; job < jobs_.size(); ++job) {
    placement_[job].routers = add(job, ranks[job], jobs_[job]->participant_count());
  }
}

std::uint32_t JoinedPaths::machine(Rank participant) const {
  const auto& [job, number] = participants_[participant];
  return jobs_[job]->machine(number);
}

std::uint32_t JoinedPaths::nic(Rank rank) const {
  const auto& [job, number] = participants_[rank];
  return jobs_[job]->nic(number);
}

void JoinedPaths::path(Rank from, Rank to, std::vector<std::uint32_t>& links) const {
  jobs_[participants_[from].job]->path(participants_[from].number, participants_[to].number, links);
}

std::uint32_t JoinedPaths::part_count(Rank from, Rank to, Bytes bytes) const {
  return jobs_[participants_[from].job]->part_count(participants_[from].number, participants_[to].number, bytes);
}

std::uint32_t JoinedPaths::plane(Rank from, Rank to, Bytes bytes) const {
  return jobs_[participants_[from].job]->plane(participants_[from].number, participants_[to].number, bytes);
}

void JoinedPaths::part(std::uint32_t number, Rank from, Rank to, PartPath& path, Bytes bytes) const {
  jobs_[participants_[from].job]->part(number, participants_[from].number, participants_[to].number, path, bytes);
}

}  // namespace ayatori
