// Slurm's lists of tasks per node, of any bytes: what is read must read the same after it is written, or there is an
// error.

#include "tasks_per_node.hpp"

#include <fmt/core.h>

#include <string>

#include "require.hpp"

using namespace ayatori;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto groups = launch::parse_tasks_per_node({reinterpret_cast<const char*>(data), size});
  if (!groups) {
    require(!groups.error().message.empty());
    return 0;
  }
  require(!groups->empty());
  std::string written;
  for (const auto& group : *groups) {
    require(group.nodes > 0 && group.tasks > 0);
    written += fmt::format("{}{}(x{})", written.empty() ? "" : ",", group.tasks, group.nodes);
  }
  const auto again = launch::parse_tasks_per_node(written);
  require(again && *again == *groups);
  return 0;
}
