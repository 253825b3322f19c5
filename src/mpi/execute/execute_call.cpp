#include "execute_call.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

#include "ayatori/base/files.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/schedule/pattern.hpp"

namespace ayatori {

namespace {

using Numbers = std::vector<std::uint32_t>;

constexpr Bytes max_repeats = 10000;
constexpr Bytes max_pace_ns = 1'000'000'000;

/// The keys of one call. The first value that is not what its key needs is remembered as the error.
class Keys {
 public:
  explicit Keys(std::span<const std::string_view> words) {
    for (const std::string_view word : words) {
      const std::string_view name = word.substr(0, word.find('='));
      const auto key = values_.find(name);
      if (key == values_.end() || !word.contains('=')) {
        remember(fail("no key '{}'", word));
      } else {
        key->second = word.substr(word.find('=') + 1);
      }
    }
  }

  [[nodiscard]] bool has(std::string_view name) const { return !values_.find(name)->second.empty(); }
  [[nodiscard]] Bytes number(std::string_view name) { return number_in(values_.find(name)->second); }
  [[nodiscard]] Numbers numbers(std::string_view name, char separator = ',') {
    Numbers found;
    for (const std::string_view part : split(values_.find(name)->second, separator)) {
      found.push_back(static_cast<std::uint32_t>(number_in(part)));
    }
    return found;
  }

  Bytes number_in(std::string_view text) {
    const auto value = parse_unsigned<Bytes>(text);
    if (!value) remember(fail("'{}' is not a number", text));
    return value.value_or(0);
  }

  [[nodiscard]] std::string_view text(std::string_view name) const { return values_.find(name)->second; }

  void remember(Failure failure) {
    if (ok_) ok_ = std::move(failure);
  }
  [[nodiscard]] const Result<>& ok() const { return ok_; }

 private:
  std::map<std::string, std::string, std::less<>> values_ = {
      {"grid", ""},   {"rings", ""}, {"points", ""}, {"ppn", "1"},  {"ranks", ""},    {"groups", ""}, {"root", "0"},
      {"chunk", "0"}, {"seed", "1"}, {"check", "0"}, {"steps", ""}, {"repeats", "1"}, {"pace", "0"}};
  Result<> ok_;
};

/// The same on all ranks.
PairSizes drawn_sizes(Rank ranks, Bytes max_bytes, std::uint64_t seed) {
  Random random(seed);
  std::vector<Bytes> sizes(std::size_t{ranks} * ranks);
  for (Bytes& size : sizes) size = random.below(4) == 0 ? 0 : random.below(max_bytes + 1);
  return table_of_sizes(ranks, std::move(sizes));
}

Result<std::shared_ptr<const PlannedSteps>> planned_steps_in(const std::string& path, Rank ranks) {
  const auto text = read_file(path);
  if (!text) return Failure(text.error());
  const auto pattern = parse_pattern(*text, path, ranks);
  if (!pattern) return Failure(pattern.error());
  auto steps = PlannedSteps::of(**pattern);
  if (!steps) return with_cause(fail("{} does not hold the steps of an all-to-all", path), steps.error().message);
  return std::make_shared<const PlannedSteps>(std::move(*steps));
}

Result<> put_on_grid(Keys& keys, Placement& placement) {
  placement.dimensions = keys.numbers("grid", 'x');
  placement.periodic.assign(placement.dimensions.size(), true);
  if (keys.has("rings")) {
    const Numbers rings = keys.numbers("rings");
    placement.periodic.assign(rings.begin(), rings.end());
  }
  placement.point.resize(placement.machine_count());
  std::iota(placement.point.begin(), placement.point.end(), 0U);
  if (keys.has("points")) placement.point = keys.numbers("points");
  const std::size_t points = std::accumulate(placement.dimensions.begin(), placement.dimensions.end(), std::size_t{1},
                                             std::multiplies<std::size_t>());
  Numbers sorted = placement.point;
  std::sort(sorted.begin(), sorted.end());
  bool each_once = points == placement.machine_count() && sorted.size() == points;
  for (std::size_t i = 0; each_once && i < points; ++i) each_once = sorted[i] == i;
  if (!each_once || placement.periodic.size() != placement.dimensions.size()) {
    return fail("the grid, its rings and its points must be those of {} machines", placement.machine_count());
  }
  return {};
}

Result<Placement> placement_of(Keys& keys, Rank ranks) {
  Placement placement = placement_of_ranks(ranks, static_cast<std::uint32_t>(std::max<Bytes>(1, keys.number("ppn"))));
  if (keys.has("ranks")) {
    const Numbers counts = keys.numbers("ranks");
    placement.machine.clear();
    for (std::uint32_t machine = 0; machine < counts.size(); ++machine) {
      placement.machine.insert(placement.machine.end(), counts[machine], machine);
    }
    placement.group.assign(counts.size(), 0);
    placement.gateway.assign(counts.size(), true);
    if (placement.machine.size() != ranks) return fail("places for {} ranks, not {}", placement.machine.size(), ranks);
  }
  if (keys.has("groups")) {
    placement.group = keys.numbers("groups");
    if (placement.group.size() != placement.gateway.size()) return fail("one group for each machine is needed");
  }
  if (keys.has("grid")) {
    if (auto ok = put_on_grid(keys, placement); !ok) return Failure(ok.error());
  }
  return placement;
}

}  // namespace

Result<ExecuteCall> parse_execute_call(std::span<const std::string_view> words, Rank ranks) {
  if (words.size() < 3) return fail("usage: execute COLLECTIVE ALGORITHM BYTES [key=value …], or execute @FILE");
  const auto collective = parse_collective(words[0]);
  if (!collective) return fail("no collective is called '{}'", words[0]);
  Keys keys(words.subspan(3));
  ExecuteCall parsed;
  parsed.call = {*collective, ranks, static_cast<Rank>(keys.number("root")), keys.number_in(words[2])};
  parsed.algorithm = words[1];
  parsed.options.chunk_bytes = keys.number("chunk");
  parsed.check = keys.number("check") != 0;
  parsed.repeats = static_cast<std::uint32_t>(std::clamp<Bytes>(keys.number("repeats"), 1, max_repeats));
  parsed.pace_ns = static_cast<std::uint32_t>(std::min<Bytes>(keys.number("pace"), max_pace_ns));
  const std::uint64_t seed = keys.number("seed");
  if (*collective == Collective::alltoallv) {
    parsed.options.pair_sizes = drawn_sizes(ranks, parsed.call.bytes, seed);
  }
  if (keys.has("steps")) {
    auto steps = planned_steps_in(std::string(keys.text("steps")), ranks);
    if (!steps) return Failure(steps.error());
    parsed.options.planned_steps = std::move(*steps);
  }
  auto placement = placement_of(keys, ranks);
  if (!keys.ok()) return Failure(keys.ok().error());
  if (!placement) return Failure(placement.error());
  parsed.placement = std::move(*placement);
  return parsed;
}

}  // namespace ayatori
