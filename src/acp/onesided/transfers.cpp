#include "transfers.hpp"

#include <algorithm>

#include "connections.hpp"

namespace ayatori::onesided {

using transport::Endpoint;
using transport::KnownRegions;
using transport::Region;
using transport::Time;
using transport::Token;

namespace {

KnownRegions::Name name_of(const Transfer& transfer) { return {transfer.remote.rank, transfer.remote.region}; }

bool holds(const Region& region, const Transfer& transfer) {
  return transfer.remote.offset <= region.size && transfer.size <= region.size - transfer.remote.offset;
}

}  // namespace

Transfers::Begun Transfers::begin(Time now, Endpoint& endpoint, Connections& connections, Transfer& transfer,
                                  Token token) {
  const KnownRegions::Name name = name_of(transfer);
  const auto region = known_.find(name);
  if (!region) {
    const auto missing = std::ranges::find(missing_, name, &Missing::name);
    if (missing != missing_.end()) {
      fault_ = missing->why;
      missing_.erase(missing);
      return Begun::impossible;
    }
    asked_ |= known_.fetch(now, endpoint, name);
    return Begun::later;
  }
  transfer.key = region->key;
  if (!holds(*region, transfer)) {
    if (refused(transfer)) return begin(now, endpoint, connections, transfer, token);
    fault_ = Fault::no_memory;
    return Begun::impossible;
  }
  if (connections.begin(transfer, *region, token)) return Begun::under_way;
  const transport::RemoteAddress at{region->key, transfer.remote.offset};
  const bool begun = transfer.put ? endpoint.put(now, name.peer, at, std::span(transfer.local, transfer.size), token)
                                  : endpoint.get(now, name.peer, at, std::span(transfer.local, transfer.size), token);
  asked_ |= begun;
  return begun ? Begun::under_way : Begun::later;
}

std::optional<Region> Transfers::known(Time now, Endpoint& endpoint, const KnownRegions::Name& name) {
  if (const auto region = known_.find(name)) return region;
  if (unneeded_.size() < fetches && known_.fetch(now, endpoint, name)) {
    asked_ = true;
    unneeded_.push_back(name);
  }
  return std::nullopt;
}

bool Transfers::refused(Transfer& transfer) {
  if (transfer.asked_again) return false;
  transfer.asked_again = true;
  known_.forget(name_of(transfer), transfer.key);
  return true;
}

bool Transfers::fetch_completed(Token token) {
  const auto fetched = known_.completed(token);
  if (fetched) note(fetched->name, fetched->region ? Fault::none : Fault::no_memory);
  return fetched.has_value();
}

bool Transfers::fetch_failed(Token token, Fault why) {
  const auto fetched = known_.failed(token);
  if (fetched) note(fetched->name, why);
  return fetched.has_value();
}

/// A transfer that waits is tried again soon, so as many entries as fetches are enough. One that waits for what another
/// one needs not is tried again, too, and asks for itself.
void Transfers::note(const KnownRegions::Name& name, Fault why) {
  if (std::erase(unneeded_, name) > 0 || why == Fault::none) return;
  if (missing_.size() >= fetches) missing_.erase(missing_.begin());
  missing_.push_back({name, why});
}

}  // namespace ayatori::onesided
