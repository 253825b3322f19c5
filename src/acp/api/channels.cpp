// The channels of src/acp/include/acp.h.

#include <algorithm>

#include "acp.h"
#include "library.hpp"

namespace ayatori::acp {

namespace {

using onesided::ChannelId;
using onesided::RequestId;

// The handles of the C interface are pointers; their values are numbers.
acp_ch_t handle_of(ChannelId channel) { return reinterpret_cast<acp_ch_t>(std::uintptr_t{channel}); }      // NOLINT
acp_request_t handle_of(RequestId request) { return reinterpret_cast<acp_request_t>(request); }            // NOLINT
ChannelId number_of(acp_ch_t ch) { return static_cast<ChannelId>(reinterpret_cast<std::uintptr_t>(ch)); }  // NOLINT
RequestId number_of(acp_request_t request) { return reinterpret_cast<std::uintptr_t>(request); }           // NOLINT

template <typename Start>
acp_request_t request(Start start) {
  return with_process<acp_request_t>(ACP_REQUEST_NULL, [&](Process& process) {
    return process.use([&](GlobalMemory& memory, Time now) -> Result<acp_request_t> {
      const Result<RequestId> started = start(memory, now);
      if (!started) return Failure(started.error());
      return handle_of(*started);
    });
  });
}

}  // namespace

}  // namespace ayatori::acp

using namespace ayatori;
using namespace ayatori::acp;

extern "C" {

acp_ch_t acp_create_ch(int sender, int receiver) {
  return with_process<acp_ch_t>(ACP_CH_NULL, [&](Process& process) {
    return process.use([&](GlobalMemory& memory, Time now) -> Result<acp_ch_t> {
      if (sender < 0 || receiver < 0) return fail("there is no rank {}", std::min(sender, receiver));
      const auto channel = memory.open_channel(now, static_cast<Rank>(sender), static_cast<Rank>(receiver));
      if (!channel) return Failure(channel.error());
      return handle_of(*channel);
    });
  });
}

acp_request_t acp_nbsend_ch(acp_ch_t ch, void* buf, size_t size) {
  return request([&](GlobalMemory& memory, Time now) {
    return memory.send(now, number_of(ch), static_cast<const std::byte*>(buf), size);
  });
}

acp_request_t acp_nbrecv_ch(acp_ch_t ch, void* buf, size_t size) {
  return request([&](GlobalMemory& memory, Time now) {
    return memory.receive(now, number_of(ch), static_cast<std::byte*>(buf), size);
  });
}

acp_request_t acp_nbfree_ch(acp_ch_t ch) {
  return request([&](GlobalMemory& memory, Time now) { return memory.close_channel(now, number_of(ch)); });
}

int acp_free_ch(acp_ch_t ch) {
  const acp_request_t closing = acp_nbfree_ch(ch);
  return closing == ACP_REQUEST_NULL || acp_wait_ch(closing) == static_cast<size_t>(-1) ? -1 : 0;
}

size_t acp_wait_ch(acp_request_t request) {
  return with_process(static_cast<size_t>(-1), [&](Process& process) -> Result<size_t> {
    Result<Bytes> received;
    process.wait_until([&](GlobalMemory& memory) {
      if (!memory.request_done(number_of(request))) return false;
      received = memory.finish(number_of(request));
      return true;
    });
    return received;
  });
}

int acp_waitall_ch(acp_request_t* request, int count, size_t* sizes) {
  int result = 0;
  for (int i = 0; i < count; ++i) {
    const size_t received = acp_wait_ch(request[i]);
    if (received == static_cast<size_t>(-1)) result = -1;
    if (sizes) sizes[i] = received;
  }
  return result;
}

}  // extern "C"
