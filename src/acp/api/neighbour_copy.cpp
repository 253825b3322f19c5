#include "neighbour_copy.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "ayatori/base/descriptor.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/bounded/peer_cache.hpp"

namespace ayatori::acp {

using onesided::Memory;

namespace {

/// Of one system call: the kernel's limit is 2 GiB less a page.
constexpr std::size_t max_at_once = std::size_t{1} << 30;

/// Processes whose descriptors stay open here.
constexpr std::uint32_t max_open = 64;

bool is_refusal(int error) { return error == EPERM || error == EACCES || error == ENOSYS; }

/// When a process started, in ticks, modulo 2^32: the 22nd word of /proc/PID/stat, the 20th after the program's name.
std::uint32_t start_of(pid_t process) {
  const auto text = read_file(fmt::format("/proc/{}/stat", process));
  if (!text) return 0;
  const auto words = split(std::string_view(*text).substr(std::min(text->rfind(')') + 2, text->size())), ' ');
  constexpr std::size_t start = 19;
  return words.size() > start ? static_cast<std::uint32_t>(parse_unsigned<std::uint64_t>(words[start]).value_or(0)) : 0;
}

std::uint64_t identity(pid_t process) {
  return std::uint64_t{start_of(process)} << 32 | static_cast<std::uint32_t>(process);
}

class Neighbours {
 public:
  bool copy(std::uint64_t process, std::uint64_t address, std::span<std::byte> local, Memory::Neighbourly what) {
    if (what == Memory::Neighbourly::read_twice) {
      const std::size_t half = local.size() / 2;
      const std::array<iovec, 2> there{iovec{pointer(address), half}, iovec{pointer(address), half}};
      return call(process, local, there, false) == static_cast<ssize_t>(local.size());
    }
    while (!local.empty()) {
      const std::size_t size = std::min(local.size(), max_at_once);
      const iovec there{pointer(address), size};
      const ssize_t copied = call(process, local.first(size), std::span(&there, 1), what == Memory::Neighbourly::write);
      if (copied <= 0) return false;
      local = local.subspan(static_cast<std::size_t>(copied));
      address += static_cast<std::uint64_t>(copied);
    }
    return true;
  }

 private:
  static void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }  // NOLINT: another process's

  /// How many bytes were copied; -1: none.
  ssize_t call(std::uint64_t process, std::span<std::byte> local, std::span<const iovec> there, bool write) {
    if (!allowed_ || !lives(process)) return -1;
    const iovec here{local.data(), local.size()};
    const auto copy = write ? process_vm_writev : process_vm_readv;
    const auto number = static_cast<pid_t>(process & ~std::uint32_t{0});
    const ssize_t copied = copy(number, &here, 1, there.data(), there.size(), 0);
    if (copied < 0) allowed_ = !is_refusal(errno);
    return copied;
  }

  /// A descriptor of a process becomes readable when the process has ended (pidfd_open(2)). Until it is, nobody else
  /// has its number.
  bool lives(std::uint64_t process) {
    const auto number = static_cast<Rank>(process & ~std::uint32_t{0});
    Descriptor* pidfd = open_.use(number);
    if (!pidfd) {
      Descriptor opened(static_cast<int>(syscall(SYS_pidfd_open, number, 0)));
      if (!opened.is_open() || identity(static_cast<pid_t>(number)) != process) return false;
      pidfd = &open_.keep(number, std::move(opened));
    }
    pollfd polled{pidfd->number(), POLLIN, 0};
    return poll(&polled, 1, 0) == 0;
  }

  wires::PeerCache<Descriptor> open_{max_open};
  bool allowed_ = true;
};

}  // namespace

std::uint64_t identity_of_process() { return identity(getpid()); }

onesided::Memory::NeighbourCopy copy_of_neighbour() {
  return [all = std::make_shared<Neighbours>()](std::uint64_t process, std::uint64_t address,
                                                std::span<std::byte> local, Memory::Neighbourly what) {
    return all->copy(process, address, local, what);
  };
}

}  // namespace ayatori::acp
