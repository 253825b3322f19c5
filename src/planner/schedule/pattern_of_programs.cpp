// What programs send besides the shift: exchanges by XOR, all at once, halos, trees.
#include <algorithm>
#include <bit>

#include "ayatori/schedule/pattern.hpp"
#include "grid_points.hpp"

namespace ayatori {

namespace {

/// A job of one rank has no messages in any pattern.
class PatternOfRanks : public StepSequence {
 public:
  PatternOfRanks(Rank ranks, std::size_t steps) : ranks_(ranks), steps_(ranks < 2 ? 0 : steps) {}

  [[nodiscard]] Rank rank_count() const final { return ranks_; }
  [[nodiscard]] std::size_t step_count() const final { return steps_; }

 private:
  Rank ranks_;
  std::size_t steps_;
};

class XorExchanges final : public PatternOfRanks {
 public:
  explicit XorExchanges(Rank ranks) : PatternOfRanks(ranks, std::bit_ceil(std::max<Rank>(1, ranks)) - 1) {}

  void step(std::size_t index, std::vector<Message>& messages) const override {
    messages.clear();
    for (Rank from = 0; from < rank_count(); ++from) {
      const Rank to = from ^ static_cast<Rank>(index + 1);
      if (to < rank_count()) messages.push_back({from, to});
    }
  }
};

class AllAtOnce final : public PatternOfRanks {
 public:
  AllAtOnce(Rank ranks, Rank every) : PatternOfRanks(ranks, 1), every_(std::max<Rank>(1, every)) {}

  void step(std::size_t, std::vector<Message>& messages) const override {
    messages.clear();
    for (std::uint64_t distance = 1; distance < rank_count(); distance += every_) {
      for (Rank from = 0; from < rank_count(); ++from)
        messages.push_back({from, static_cast<Rank>((from + distance) % rank_count())});
    }
  }

 private:
  Rank every_;
};

class Halo final : public PatternOfRanks {
 public:
  Halo(Rank ranks, std::size_t dimensions) : PatternOfRanks(ranks, 1), lengths_(balanced_lengths(ranks, dimensions)) {}

  void step(std::size_t, std::vector<Message>& messages) const override {
    messages.clear();
    Rank stride = rank_count();
    for (const std::uint32_t length : lengths_) {
      stride /= length;
      if (length == 1) continue;
      for (const std::uint32_t distance : {1U, length - 1}) {
        for (Rank from = 0; from < rank_count(); ++from) {
          const std::uint32_t here = from / stride % length;
          messages.push_back({from, from - here * stride + (here + distance) % length * stride});
        }
      }
    }
  }

 private:
  std::vector<std::uint32_t> lengths_;
};

class BinomialTree final : public PatternOfRanks {
 public:
  explicit BinomialTree(Rank ranks)
      : PatternOfRanks(ranks, 2 * static_cast<std::size_t>(std::bit_width(std::max<Rank>(1, ranks) - 1))) {}

  void step(std::size_t index, std::vector<Message>& messages) const override {
    messages.clear();
    const std::size_t depth = step_count() / 2;
    const bool up = index < depth;
    const Rank stride = Rank{1} << (up ? index : step_count() - 1 - index);
    for (Rank child = stride; child < rank_count(); child += 2 * stride) {
      messages.push_back(up ? Message{child, child - stride} : Message{child - stride, child});
    }
  }
};

}  // namespace

std::unique_ptr<StepSequence> xor_exchanges(Rank ranks) { return std::make_unique<XorExchanges>(ranks); }

std::unique_ptr<StepSequence> all_at_once(Rank ranks, Rank every) { return std::make_unique<AllAtOnce>(ranks, every); }

std::unique_ptr<StepSequence> halo(Rank ranks, std::size_t dimensions) {
  return std::make_unique<Halo>(ranks, dimensions);
}

std::unique_ptr<StepSequence> binomial_tree(Rank ranks) { return std::make_unique<BinomialTree>(ranks); }

}  // namespace ayatori
