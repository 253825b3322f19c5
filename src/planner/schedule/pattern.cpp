#include "ayatori/schedule/pattern.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/base/text.hpp"
#include "given_sizes.hpp"

namespace ayatori {

namespace {

/// Steps in which rank r sends to (r + distance) mod n, one step a distance.
class Shifts final : public StepSequence {
 public:
  Shifts(Rank ranks, std::vector<Rank> distances) : ranks_(ranks), distances_(std::move(distances)) {}

  [[nodiscard]] Rank rank_count() const override { return ranks_; }
  [[nodiscard]] std::size_t step_count() const override { return distances_.size(); }

  void step(std::size_t index, std::vector<Message>& messages) const override {
    messages.resize(ranks_);
    Rank to = distances_[index];
    for (Rank from = 0; from < ranks_; ++from) {
      messages[from] = {from, to};
      if (++to == ranks_) to = 0;
    }
  }

 private:
  Rank ranks_;
  std::vector<Rank> distances_;
};

/// A job of one rank has no messages in any pattern.
std::unique_ptr<StepSequence> shifts(Rank ranks, std::vector<Rank> distances) {
  if (ranks < 2) distances.clear();
  return std::make_unique<Shifts>(ranks, std::move(distances));
}

class RandomPermutations final : public StepSequence {
 public:
  RandomPermutations(Rank ranks, std::size_t steps, std::uint64_t seed)
      : ranks_(ranks), steps_(steps), first_seed_(Random(seed)()) {}

  [[nodiscard]] Rank rank_count() const override { return ranks_; }
  [[nodiscard]] std::size_t step_count() const override { return steps_; }

  void step(std::size_t index, std::vector<Message>& messages) const override {
    // Every step has a generator of its own, so that steps can be asked for in any order and by any thread.
    Random random(first_seed_ + index);
    std::vector<Rank> to(ranks_);
    std::iota(to.begin(), to.end(), Rank{0});
    random.shuffle(std::span(to));
    messages.clear();
    for (Rank from = 0; from < ranks_; ++from) {
      if (to[from] != from) messages.push_back({from, to[from]});
    }
  }

 private:
  Rank ranks_;
  std::size_t steps_;
  std::uint64_t first_seed_;
};

/// Steps that are stored.
class WrittenSteps final : public StepSequence, public GivenSizes {
 public:
  explicit WrittenSteps(Rank ranks) : ranks_(ranks) {}

  /// `message` has 0 bytes if its size is not given.
  void add(const Message& message) { messages_.push_back(message); }

  void end_step() {
    const std::size_t begin = ends_.empty() ? 0 : ends_.back();
    if (messages_.size() > begin) ends_.push_back(messages_.size());
  }

  [[nodiscard]] Rank rank_count() const override { return ranks_; }
  [[nodiscard]] std::size_t step_count() const override { return ends_.size(); }

  void step(std::size_t index, std::vector<Message>& messages) const override {
    const auto written = of_step(index);
    messages.assign(written.begin(), written.end());
    for (Message& message : messages) message.bytes = std::max<Bytes>(1, message.bytes);
  }

  void given_sizes(std::size_t index, std::vector<Bytes>& sizes) const override {
    sizes.clear();
    for (const Message& message : of_step(index)) sizes.push_back(message.bytes);
  }

 private:
  [[nodiscard]] std::span<const Message> of_step(std::size_t index) const {
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    return std::span(messages_).subspan(begin, ends_[index] - begin);
  }

  Rank ranks_;
  std::vector<Message> messages_;
  std::vector<std::size_t> ends_;
};

std::vector<std::string_view> words_in(std::string_view line) {
  constexpr std::string_view blanks = " \t\r\f\v";
  std::vector<std::string_view> found;
  for (std::size_t begin = line.find_first_not_of(blanks); begin != std::string_view::npos;) {
    const std::size_t end = line.find_first_of(blanks, begin);
    found.push_back(line.substr(begin, end - begin));
    begin = end == std::string_view::npos ? end : line.find_first_not_of(blanks, end);
  }
  return found;
}

/// A word as an error message can show it, even if it comes from a binary file.
std::string shown(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string text;
  for (const char c : word.substr(0, longest)) text += c >= ' ' && c <= '~' ? c : '?';
  return word.size() > longest ? text + "..." : text;
}

class PatternReader {
 public:
  PatternReader(std::string_view text, std::string_view file, Rank ranks) : lines_(text), file_(file), ranks_(ranks) {}

  Result<std::unique_ptr<StepSequence>> read() {
    auto steps = std::make_unique<WrittenSteps>(ranks_);
    while (const auto line = lines_.next()) {
      if (trimmed(*line).empty()) {
        steps->end_step();
        continue;
      }
      const auto fields = words_in(line->substr(0, line->find('#')));
      if (fields.empty()) continue;
      const auto message = read_message(fields);
      if (!message) return Failure(message.error());
      steps->add(*message);
    }
    steps->end_step();
    if (steps->step_count() == 0) return fail_at(file_, 0, "no message in it: expected lines \"FROM TO [BYTES]\"");
    return steps;
  }

 private:
  Result<Message> read_message(const std::vector<std::string_view>& fields) const {
    if (fields.size() < 2 || fields.size() > 3) {
      return wrong(fmt::format("expected \"FROM TO [BYTES]\", found {} fields", fields.size()));
    }
    const auto from = read_rank(fields[0]);
    if (!from) return Failure(from.error());
    const auto to = read_rank(fields[1]);
    if (!to) return Failure(to.error());
    if (fields.size() == 2) return Message{*from, *to, 0};
    const auto bytes = parse_unsigned<Bytes>(fields[2]);
    if (!bytes || *bytes == 0) return wrong(fmt::format("'{}' is not a number of bytes", shown(fields[2])));
    return Message{*from, *to, *bytes};
  }

  [[nodiscard]] Result<Rank> read_rank(std::string_view word) const {
    const auto rank = parse_unsigned<Rank>(word);
    if (!rank) return wrong(fmt::format("'{}' is not a rank", shown(word)));
    if (*rank >= ranks_) return wrong(fmt::format("rank {} in a job of {} ranks (they count from 0)", *rank, ranks_));
    return *rank;
  }

  [[nodiscard]] Failure wrong(std::string what) const { return fail_at(file_, lines_.line(), std::move(what)); }

  LineReader lines_;
  std::string_view file_;
  Rank ranks_;
};

}  // namespace

std::unique_ptr<StepSequence> shift_all_to_all(Rank ranks) {
  std::vector<Rank> distances(ranks == 0 ? 0 : ranks - 1);
  std::iota(distances.begin(), distances.end(), Rank{1});
  return shifts(ranks, std::move(distances));
}

std::unique_ptr<StepSequence> ring(Rank ranks) { return shifts(ranks, {1}); }

std::unique_ptr<StepSequence> neighbour(Rank ranks) { return shifts(ranks, {1, ranks - 1}); }

std::unique_ptr<StepSequence> random_permutations(Rank ranks, std::size_t steps, std::uint64_t seed) {
  return std::make_unique<RandomPermutations>(ranks, steps, seed);
}

Result<std::unique_ptr<StepSequence>> parse_pattern(std::string_view text, std::string_view file, Rank ranks) {
  return PatternReader(text, file, ranks).read();
}

void write_pattern(const StepSequence& steps, const Sink& sink) {
  std::vector<Message> messages;
  for (std::size_t s = 0; s < steps.step_count(); ++s) {
    steps.step(s, messages);
    std::string text;
    for (const Message& message : messages) {
      const std::string size = message.bytes == 1 ? "" : fmt::format(" {}", message.bytes);
      text += fmt::format("{} {}{}\n", message.from, message.to, size);
    }
    sink(text + "\n");
  }
}

}  // namespace ayatori
