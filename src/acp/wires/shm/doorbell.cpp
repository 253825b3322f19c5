#include "doorbell.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace ayatori::wires {

Result<Doorbell> Doorbell::make(std::filesystem::path folder, Rank self) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC) != 0) return refused("no pipe can be made", errno);
  Doorbell made(std::move(folder));
  made.read_end_ = Descriptor(ends[0]);
  made.write_end_ = Descriptor(ends[1]);
  auto published = PublishedDescriptor::make(made.link_of(self), ends[1]);
  if (!published) return Failure(published.error());
  made.published_ = std::move(*published);
  return made;
}

void Doorbell::wake(Rank peer) {
  // Open for reading, too: writing into a pipe that nobody reads would raise SIGPIPE.
  const Descriptor pipe(open(link_of(peer).c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  struct stat found{};
  if (!pipe.is_open() || fstat(pipe.number(), &found) != 0 || !S_ISFIFO(found.st_mode)) return;
  // If the pipe is full, the peer will wake anyway.
  (void)!write(pipe.number(), "", 1);
}

void Doorbell::drain() {
  std::array<char, 256> signals{};
  while (read(read_end_.number(), signals.data(), signals.size()) == static_cast<ssize_t>(signals.size())) continue;
}

void Doorbell::disown() {
  published_.disown();
  read_end_ = Descriptor();
  write_end_ = Descriptor();
}

}  // namespace ayatori::wires
