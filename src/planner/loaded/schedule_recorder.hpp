#pragma once
/// \file
/// What a library writes by the functions of src/planner/include/ayatori_algorithm.h.

#include <memory>
#include <optional>
#include <string>

#include "ayatori/schedule/written_algorithm.hpp"
#include "ayatori_algorithm.h"

namespace ayatori {

/// The library sees its base only. The first thing that cannot be is remembered, and all calls after it fail.
class ScheduleRecorder : public ayatori_schedule {
 public:
  explicit ScheduleRecorder(const CollectiveCall& call);
  ScheduleRecorder(const ScheduleRecorder&) = delete;
  ScheduleRecorder& operator=(const ScheduleRecorder&) = delete;

  /// Why the library makes no schedule for this call, if it has said so.
  [[nodiscard]] const std::optional<std::string>& refusal() const { return refusal_; }

  /// What was written; it is not verified. Error: what could not be.
  [[nodiscard]] Result<std::shared_ptr<const WrittenAlgorithm>> finish();

  int set_layout(std::uint32_t blocks, std::uint32_t streams);
  std::uint32_t add_scratch(std::uint32_t block);
  int begin_step(Rank rank, std::uint32_t stream);
  int add_message(Rank peer, SlotRange slots, bool is_send);
  int append(SlotRange slots);
  int add_local(const LocalOperation& operation);
  int refuse(const char* why);

 private:
  [[nodiscard]] Result<> begin_writing();
  int remember(const Result<>& result);

  WrittenHead head_;
  std::optional<AlgorithmWriter> writer_;  ///< from the first step on
  std::optional<Error> error_;
  std::optional<std::string> refusal_;
};

}  // namespace ayatori
