// The answers of a launcher over PMI-1, of any bytes: there must be a secret and addresses, or an error, and no
// crash and no wait.

#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

#include "exchange.hpp"
#include "require.hpp"

using namespace ayatori;

/// The first byte chooses the rank, the others are everything that the launcher sends before it ends.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t max_bytes = 8'192;  // fits into the socket
  if (size == 0 || size > max_bytes) return 0;
  int pair[2];
  require(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  require(write(pair[1], data + 1, size - 1) == static_cast<ssize_t>(size - 1));
  require(shutdown(pair[1], SHUT_WR) == 0);
  launch::Placement placement;
  placement.rank = data[0] % 2;
  placement.procs = 2;
  const auto joined = launch::join_pmi(pair[0], placement, [] { return Result<JobSecret>(JobSecret{}); });
  require(joined || !joined.error().message.empty());
  if (joined && (*joined)->publish(std::as_bytes(std::span("address")))) (void)(*joined)->published(1 - placement.rank);
  close(pair[0]);
  close(pair[1]);
  return 0;
}
