#include "ayatori/executor/own_time.hpp"

#include <array>
#include <vector>

#include "ayatori/executor/executor.hpp"
#include "ayatori/schedule/algorithms.hpp"

namespace ayatori {

namespace {

/// Has completed whatever is posted.
class NoCarrier final : public Carrier {
 public:
  Result<> post_send(RequestId request, const CarriedMessage&) override { return post(request); }
  Result<> post_receive(RequestId request, const CarriedMessage&) override { return post(request); }
  Result<std::size_t> test_some(std::span<RequestId> completed) override { return wait_some(completed); }
  Result<std::size_t> wait_some(std::span<RequestId> completed) override {
    completed[0] = posted_.back();
    posted_.pop_back();
    ++messages_;
    return 1;
  }

  [[nodiscard]] std::uint64_t messages() const { return messages_; }

 private:
  Result<> post(RequestId request) {
    posted_.push_back(request);
    return {};
  }

  std::vector<RequestId> posted_;
  std::uint64_t messages_ = 0;
};

}  // namespace

Result<std::uint64_t> execute_without_carrying(std::uint64_t steps) {
  constexpr Rank ranks = 65;
  const auto schedule =
      make_schedule("pairwise", {Collective::alltoall, ranks, 0, 8}, placement_of_ranks(ranks, ranks), {});
  if (!schedule) return Failure(schedule.error());
  const auto program = RankProgram::compile(**schedule, 0);
  if (!program) return Failure(program.error());
  std::vector<std::byte> memory(program->region_bytes()[0]);
  NoCarrier carrier;
  Executor executor(*program, carrier, nullptr);
  const std::array<std::byte*, 1> regions = {memory.data()};
  while (carrier.messages() < 2 * steps) {
    if (auto executed = executor.execute(regions); !executed) return Failure(executed.error());
  }
  return carrier.messages();
}

}  // namespace ayatori
