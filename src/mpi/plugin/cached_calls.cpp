#include "cached_calls.hpp"

#include <array>
#include <atomic>

namespace ayatori::plugin {

namespace {

struct Place {
  CallKey key;
  std::uint64_t epoch = 0;  ///< what is remembered of another one counts no more
  CompiledCall* call = nullptr;
};

constexpr unsigned log_of_places = 6;
thread_local std::array<Place, 1U << log_of_places> places;
std::atomic<std::uint64_t> epoch{1};

Place& place_of(const CallKey& key) {
  const auto hash = static_cast<std::uint32_t>(key.bytes) * 0x9E37'79B1U + key.root * 0x0800'0000U +
                    static_cast<std::uint32_t>(key.call) * 0x2C1B'3C6DU;
  return places[hash >> (32 - log_of_places)];
}

}  // namespace

CompiledCall* const* find_cached_call(const CallKey& key) {
  const Place& place = place_of(key);
  return place.epoch == epoch.load(std::memory_order_relaxed) && place.key == key ? &place.call : nullptr;
}

void cache_call(const CallKey& key, CompiledCall* call) {
  place_of(key) = {key, epoch.load(std::memory_order_relaxed), call};
}

void forget_cached_calls() { epoch.fetch_add(1, std::memory_order_relaxed); }

}  // namespace ayatori::plugin
