// The context table, its queue and its deadlines against slow and simple models.

#include <map>

#include "ayatori/transport/contexts.hpp"
#include "ayatori/transport/queues.hpp"
#include "deadlines.hpp"
#include "require.hpp"

namespace {

using namespace ayatori;
using namespace ayatori::transport;

}  // namespace

/// Two bytes a step: what to do, and to whom.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ContextTable<int> table(7);
  Deadlines deadlines(7);
  IdQueue queue(7);
  std::map<std::pair<Rank, Lane>, ContextId> model;
  std::map<ContextId, Time> times;
  for (std::size_t i = 0; i + 1 < size; i += 2) {
    const FlowKey key{data[i + 1] % 16U, data[i + 1] % 32 < 16 ? Lane::messages : Lane::replies};
    const auto known = model.find({key.peer, key.lane});
    const auto found = table.find(key);
    require(found.has_value() == (known != model.end()));
    if (!found) {
      const auto id = table.insert(key);
      require(id.has_value() == (model.size() < 7));
      if (!id) continue;
      require(table[*id] == 0);
      table[*id] = data[i + 1];
      model[{key.peer, key.lane}] = *id;
      queue.push(*id);
    } else if (data[i] % 3 == 0) {
      table.erase(*found);
      model.erase(known);
      queue.remove(*found);
      deadlines.clear(*found);
      times.erase(*found);
    } else if (data[i] % 3 == 1) {
      require(known->second == *found && table.key(*found) == key);
      queue.move_to_end(*found);
    } else {
      times[*found] = Time(Duration(data[i]));
      deadlines.set(*found, times[*found]);
    }
    require(table.size() == model.size() && queue.size() == model.size());
    Time earliest = never;
    for (const auto& [id, when] : times) earliest = std::min(earliest, when);
    require(deadlines.earliest() == earliest);
  }
  return 0;
}
