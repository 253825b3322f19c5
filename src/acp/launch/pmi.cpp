#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string>

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
      return fail("the launcher answered '{}' to '{}'", *said, request);
    }
    return said;
  }

 private:
  Result<std::string> read_line() {
    std::string line;
    char next = 0;
    while (line.size() < max_line_bytes) {
      const ssize_t got = read(descriptor_, &next, 1);
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

Result<std::uint64_t> share_over_pmi(int descriptor, Rank rank, std::uint64_t number) {
  Pmi pmi(descriptor);
  if (auto said = pmi.ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init"); !said) {
    return Failure(said.error());
  }
  const auto space = pmi.ask("cmd=get_my_kvsname", "my_kvsname");
  if (!space) return Failure(space.error());
  const std::string_view name = value_of(*space, "kvsname");
  if (rank == 0) {
    const auto put =
        pmi.ask(fmt::format("cmd=put kvsname={} key={} value={:016x}", name, name_of_number, number), "put_result");
    if (!put) return Failure(put.error());
  }
  if (auto met = pmi.ask("cmd=barrier_in", "barrier_out"); !met) return Failure(met.error());
  const auto got = pmi.ask(fmt::format("cmd=get kvsname={} key={}", name, name_of_number), "get_result");
  if (!got) return Failure(got.error());
  const std::string_view text = value_of(*got, "value");
  std::uint64_t shared = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), shared, 16);
  if (bad != std::errc{} || end != text.data() + text.size()) return fail("the launcher answered '{}'", *got);
  // The launcher takes a process for failed that ends without `finalize`.
  if (auto left = pmi.ask("cmd=finalize", "finalize_ack"); !left) return Failure(left.error());
  return shared;
}

}  // namespace ayatori::launch
