#pragma once
/// \file
/// Paths between ranks as routers choose them, and all else as by the tables of paths within.

#include <memory>
#include <utility>

#include "minimal_paths.hpp"
#include "wrapped_paths.hpp"

namespace ayatori {

class ChosenPaths : public WrappedPaths {
 protected:
  /// `base_lids` is what `on_base_lids` refers to.
  ChosenPaths(std::unique_ptr<const Plan> base_lids, std::unique_ptr<Paths> on_base_lids, MinimalPaths minimal)
      : WrappedPaths(std::move(on_base_lids)), minimal_(std::move(minimal)), base_lids_(std::move(base_lids)) {}

  [[nodiscard]] bool between_ranks(Rank from, Rank to) const {
    const Rank ranks = base_lids_->rank_count();
    return from < ranks && to < ranks && machine(from) != machine(to);
  }
  [[nodiscard]] const MinimalPaths& minimal() const { return minimal_; }

 private:
  MinimalPaths minimal_;
  std::unique_ptr<const Plan> base_lids_;
};

}  // namespace ayatori
