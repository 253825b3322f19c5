#include "cached_calls.hpp"

#include <array>
#include <atomic>

namespace ayatori::plugin {

namespace {

constexpr unsigned log_of_places = 6;

/// What is remembered of another epoch counts no more.
std::atomic<std::uint64_t> epoch{1};

}  // namespace

CachedCall& cached_call(const CallKey& key) {
  thread_local std::array<CachedCall, 1U << log_of_places> places;
  const auto hash = static_cast<std::uint32_t>(key.bytes) * 0x9E37'79B1U + key.root * 0x0800'0000U +
                    static_cast<std::uint32_t>(key.call) * 0x2C1B'3C6DU;
  return places[hash >> (32 - log_of_places)];
}

bool is_cached(const CachedCall& place, const CallKey& key) {
  return place.epoch == epoch.load(std::memory_order_relaxed) && place.key == key;
}

void cache_call(CachedCall& place, const CallKey& key, CompiledCall* call) {
  place = {key, epoch.load(std::memory_order_relaxed), call};
}

void forget_cached_calls() { epoch.fetch_add(1, std::memory_order_relaxed); }

}  // namespace ayatori::plugin
