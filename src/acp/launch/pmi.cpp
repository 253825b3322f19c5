#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "ayatori/base/files.hpp"
#include "exchange.hpp"

namespace ayatori::launch {

namespace {

constexpr std::size_t max_line_bytes = 1024;

/// Requests to the launcher and its answers, one line each.
class Pmi {
 public:
  explicit Pmi(int descriptor) : descriptor_(descriptor) {}

  Result<std::string> ask(std::string_view request, std::string_view answer) {
    const std::string line = fmt::format("{}\n", request);
    // A launcher that has ended must be an error, not a SIGPIPE.
    if (::send(descriptor_, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size())) {
      return with_code(fail("the launcher does not listen on PMI_FD {}", descriptor_), errno);
    }
    auto said = read_line();
    if (said && !said->starts_with(fmt::format("cmd={}", answer))) {
      // Not the whole request: it may have the secret.
      return fail("the launcher answered '{}' to '{}'", *said, request.substr(0, request.find(" value=")));
    }
    return said;
  }

 private:
  Result<std::string> read_line() {
    std::string line;
    char next = 0;
    while (line.size() < max_line_bytes) {
      const ssize_t got = ::read(descriptor_, &next, 1);
      if (got < 0 && errno == EINTR) continue;
      if (got != 1) break;
      if (next == '\n') return line;
      line.push_back(next);
    }
    return fail("the launcher ended in the middle of a line on PMI_FD {}", descriptor_);
  }

  int descriptor_;
};

/// The value of a key in a line such as "cmd=x a=1 b=2".
std::string_view value_of(std::string_view line, std::string_view name) {
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view word = line.substr(at, end - at);
    if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=') {
      return word.substr(name.size() + 1);
    }
    at = end + 1;
  }
  return {};
}

}  // namespace

namespace {

class PmiLauncher final : public Launcher {
 public:
  PmiLauncher(Pmi pmi, std::string space) : pmi_(pmi), space_(std::move(space)) {}
  /// The launcher takes a process for failed that ends without `finalize`.
  ~PmiLauncher() override { leave(); }

  Result<> put(std::string_view name, std::string_view value) {
    const auto said = pmi_.ask(fmt::format("cmd=put kvsname={} key={} value={}", space_, name, value), "put_result");
    if (!said) return Failure(said.error());
    return {};
  }

  Result<> meet() {
    const auto met = pmi_.ask("cmd=barrier_in", "barrier_out");
    if (!met) return Failure(met.error());
    return {};
  }

  Result<std::string> get(std::string_view name) {
    const auto said = pmi_.ask(fmt::format("cmd=get kvsname={} key={}", space_, name), "get_result");
    if (!said) return said;
    return std::string(value_of(*said, "value"));
  }

  Result<> publish(std::span<const std::byte> bytes) override {
    if (auto good = put(fmt::format("{}-{}", published_name, placement.rank), hex_of(bytes)); !good) return good;
    return meet();
  }

  Result<std::vector<std::byte>> published(Rank rank) override {
    const auto text = get(fmt::format("{}-{}", published_name, rank));
    if (!text) return Failure(text.error());
    auto bytes = bytes_of(*text);
    if (!bytes || bytes->empty()) return fail("the launcher has no address of rank {}", rank);
    return std::move(*bytes);
  }

  /// An MPI's end is that of the process. If this one gives up, the launcher ends the others, which would wait for it.
  void leave_end_to_others() { left_ = true; }

  void leave() override {
    if (!std::exchange(left_, true)) (void)pmi_.ask("cmd=finalize", "finalize_ack");
  }

 private:
  Pmi pmi_;
  std::string space_;
  bool left_ = false;
};

/// The name of this host, the same in all of its processes and on no other host.
std::string own_host() {
  utsname names{};
  (void)uname(&names);
  const auto boot = read_file("/proc/sys/kernel/random/boot_id");
  return fmt::format("{}/{}", static_cast<const char*>(names.nodename), boot ? boot->substr(0, boot->find('\n')) : "");
}

std::string host_key(Rank rank) { return fmt::format("ayatori-host-{}", rank); }

/// This protocol says how many ranks a host has, and not which. Each rank checks the one after it.
Result<> check_next(PmiLauncher& launcher) {
  const Rank next = launcher.placement.rank + 1;
  if (!launcher.placement.is_near(next)) return {};
  const auto host = launcher.get(host_key(next));
  if (!host) return Failure(host.error());
  if (*host == own_host()) return {};
  return with_hint(fail("rank {} is not on the host of rank {}: ranks must fill host after host", next, next - 1),
                   how_to_place);
}

Result<> share_secret(PmiLauncher& launcher, const MakeSecret& random) {
  if (auto put = launcher.put(host_key(launcher.placement.rank), own_host()); !put) return put;
  if (launcher.placement.rank == 0) {
    const auto made = random();
    if (!made) return Failure(made.error());
    if (auto put = launcher.put(secret_name, text_of(*made)); !put) return put;
  }
  if (auto met = launcher.meet(); !met) return met;
  const auto text = launcher.get(secret_name);
  if (!text) return Failure(text.error());
  const auto secret = parse_secret(*text);
  if (!secret) return fail("the launcher has lost the job's secret: {}", secret.error().message);
  set_secret(launcher.placement, *secret);
  return check_next(launcher);
}

}  // namespace

Result<std::unique_ptr<Launcher>> join_pmi(int descriptor, Placement placement, const MakeSecret& random) {
  Pmi pmi(descriptor);
  const bool of_an_mpi = loaded_with("PMPI_Init") != nullptr;
  if (!of_an_mpi) {
    if (auto said = pmi.ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init"); !said) {
      return Failure(said.error());
    }
  }
  const auto space = pmi.ask("cmd=get_my_kvsname", "my_kvsname");
  if (!space) return Failure(space.error());
  auto made = std::make_unique<PmiLauncher>(pmi, std::string(value_of(*space, "kvsname")));
  made->placement = std::move(placement);
  if (of_an_mpi) made->leave_end_to_others();
  if (auto shared = share_secret(*made, random); !shared) {
    made->leave_end_to_others();
    return Failure(shared.error());
  }
  return made;
}

}  // namespace ayatori::launch
