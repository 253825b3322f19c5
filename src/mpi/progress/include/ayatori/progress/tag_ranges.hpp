#pragma once
/// \file
/// Tags for operations of one communicator that are under way at the same time.

#include <map>
#include <optional>

namespace ayatori {

/// Hands out ranges of tags cyclically, so that participants that ask for the same numbers of tags in the same order
/// get the same ranges, whichever of their operations are over meanwhile. Not safe for concurrent use.
class TagRanges {
 public:
  /// Tags from `first` to `last`.
  TagRanges(int first, int last) : first_(first), last_(last), next_(first) {}

  /// Whether there are ever so many tags.
  [[nodiscard]] bool has(int count) const { return count <= last_ - first_ + 1; }

  /// The first of `count` tags that follow each other, at least 1; precondition: has(count). Nothing as long as an
  /// operation that is under way has one of them: it must end first.
  [[nodiscard]] std::optional<int> take(int count);

  /// The operation that took the range which begins with `first` is over.
  void give_back(int first) { taken_.erase(first); }

 private:
  int first_;
  int last_;
  int next_;
  std::map<int, int> taken_;  ///< by the first tag: the last one
};

}  // namespace ayatori
