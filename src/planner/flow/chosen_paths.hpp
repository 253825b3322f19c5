#pragma once
/// \file
/// Paths between ranks that tables and a plan alone do not say; all else goes by the tables, on base LIDs.

#include <memory>
#include <utility>

#include "wrapped_paths.hpp"

namespace ayatori {

/// Paths by tables on base LIDs, and the plan that they refer to.
struct PathsOnBaseLids {
  std::unique_ptr<const Plan> plan;
  std::unique_ptr<Paths> paths;

  /// Errors: those of routed_paths().
  static Result<PathsOnBaseLids> of(const Network& network, const Routes& routes, const Job& job,
                                    const LinkDefaults& defaults, std::span<const DeviceId> routers,
                                    const Sends& sends);
};

class ChosenPaths : public WrappedPaths {
 protected:
  explicit ChosenPaths(PathsOnBaseLids base) : WrappedPaths(std::move(base.paths)), plan_(std::move(base.plan)) {}

  [[nodiscard]] bool between_ranks(Rank from, Rank to) const {
    const Rank ranks = plan_->rank_count();
    return from < ranks && to < ranks && machine(from) != machine(to);
  }

 private:
  std::unique_ptr<const Plan> plan_;
};

}  // namespace ayatori
