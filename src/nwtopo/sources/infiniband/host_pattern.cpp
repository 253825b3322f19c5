#include "host_pattern.hpp"

#include <regex.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ayatori/base/text.hpp"

namespace ayatori {

namespace {

/// The C library takes stack by the length of a pattern, and space and time by its places: it copies what is repeated.
constexpr std::size_t max_pattern = 1000;
constexpr std::uint64_t max_places = 500;

/// A pattern as regcomp() takes it: that has no \d, and no backslashes in brackets.
class PosixPattern {
 public:
  explicit PosixPattern(std::string_view pattern) : pattern_(pattern) {}

  Result<std::string> made() {
    if (pattern_.size() > max_pattern) return fail("it is longer than {} bytes", max_pattern);
    while (at_ < pattern_.size()) {
      if (auto read = read_piece(); !read) return Failure(read.error());
    }
    return std::move(posix_);
  }

 private:
  Result<> read_piece() {
    const char c = pattern_[at_++];
    if (c == '\\' || c == '[') {
      repeated_ = false;
      return c == '[' ? read_brackets() : read_escape();
    }
    if (c == '(' && next_is('?')) return fail("groups that begin with (? are not of POSIX");
    posix_ += c;
    const bool repeats = std::string_view("*+?{").contains(c);
    // regexec() takes exponential time for them.
    if (std::exchange(repeated_, repeats) && repeats) return fail("a repetition is repeated");
    if (c == '{') return read_count();
    if (repeats) {
      if (next_is('?')) return fail("{}? is not of POSIX", c);
      return repeat_last(c == '+' ? 2 : 1);
    }
    if (c == '(') {
      places_.push_back(0);
    } else if (c == ')' && places_.size() > 1) {
      const std::uint64_t inside = places_.back();
      places_.pop_back();
      add(inside + 1);
    } else {
      add(1);
    }
    return {};
  }

  Result<> read_count() {
    const std::size_t end = std::min(pattern_.find('}', at_), pattern_.size());
    std::uint64_t most = 0;
    for (const std::string_view number : split(pattern_.substr(at_, end - at_), ',')) {
      most = std::max<std::uint64_t>(most, parse_unsigned<std::uint32_t>(number).value_or(0));
    }
    posix_ += pattern_.substr(at_, end + 1 - at_);
    at_ = std::min(end + 1, pattern_.size());
    if (next_is('?')) return fail("}}? is not of POSIX");
    return repeat_last(most + 1);
  }

  void add(std::uint64_t places) {
    last_ = places;
    places_.back() += places;
  }

  Result<> repeat_last(std::uint64_t times) {
    places_.back() += last_ * (times - 1);
    last_ *= times;
    if (places_.back() > max_places) return fail("its repetitions have more than {} places", max_places);
    return {};
  }

  Result<> read_escape() {
    if (at_ == pattern_.size()) return fail("it ends with a backslash");
    add(1);
    const char c = pattern_[at_++];
    if (is_digit(c)) return fail("\\{} is not taken: a group can't be repeated by its number", c);
    if (c == 'd') {
      posix_ += "[0-9]";
    } else if (c == 'D') {
      posix_ += "[^0-9]";
    } else {
      posix_ += {'\\', c};
    }
    return {};
  }

  Result<> read_brackets() {
    add(1);
    posix_ += '[';
    if (next_is('^')) posix_ += pattern_[at_++];
    if (next_is(']')) posix_ += pattern_[at_++];
    for (; at_ < pattern_.size(); ++at_) {
      const char c = pattern_[at_];
      if (c == '\\') {
        if (++at_ == pattern_.size()) break;
        posix_ += in_brackets(pattern_[at_]);
        continue;
      }
      posix_ += c;
      if (c == ']') {
        ++at_;
        return {};
      }
      if (c == '[' && at_ + 1 < pattern_.size() && std::string_view(":.=").contains(pattern_[at_ + 1])) copy_class();
    }
    return fail("a bracket is not closed");
  }

  /// "[:alpha:]" from behind its "[" on; afterwards at its "]".
  void copy_class() {
    const std::size_t end = pattern_.find(std::string{pattern_[at_ + 1], ']'}, at_ + 2);
    if (end == std::string_view::npos) return;
    posix_ += pattern_.substr(at_ + 1, end + 1 - at_);
    at_ = end + 1;
  }

  static std::string in_brackets(char escaped) {
    if (escaped == 'd') return "0-9";
    if (escaped == 'w') return "[:alnum:]_";
    if (escaped == 's') return "[:space:]";
    return {'[', '.', escaped, '.', ']'};
  }

  [[nodiscard]] bool next_is(char c) const { return at_ < pattern_.size() && pattern_[at_] == c; }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::string posix_;
  std::vector<std::uint64_t> places_ = {0};  // of the pattern, and of each group that is open
  std::uint64_t last_ = 0;                   // of what was read last
  bool repeated_ = false;                    // what was read last is a repetition
};

struct Free {
  void operator()(regex_t* compiled) const {
    ::regfree(compiled);
    delete compiled;
  }
};
using Compiled = std::shared_ptr<const regex_t>;
using Groups = std::array<regmatch_t, 3>;

Result<Compiled> compiled(std::string_view pattern) {
  const auto posix = PosixPattern(pattern).made();
  if (!posix) return Failure(posix.error());
  auto made = std::make_unique<regex_t>();
  if (const int error = ::regcomp(made.get(), posix->c_str(), REG_EXTENDED); error != 0) {
    std::array<char, 128> said{};
    ::regerror(error, made.get(), said.data(), said.size());
    return fail("{}", said.data());
  }
  return Compiled(made.release(), Free());
}

std::string_view group(std::string_view text, const regmatch_t& match) {
  if (match.rm_so < 0) return {};
  return text.substr(static_cast<std::size_t>(match.rm_so), static_cast<std::size_t>(match.rm_eo - match.rm_so));
}

/// The second group if the pattern has one, else the last word if it is a device's name.
std::optional<DeviceName> device_in(std::string_view text, const regex_t& pattern, const Groups& groups) {
  if (pattern.re_nsub < 2) return parse_device_name(text.substr(text.find_last_of(" \t") + 1));
  const std::string_view word = group(text, groups[2]);
  if (const auto device = parse_device_name(word)) return device;
  if (word.empty()) return std::nullopt;
  return DeviceName{std::nullopt, word};
}

HostDevice read_host(const regex_t& pattern, std::string_view description) {
  constexpr std::size_t longest = 256;  // node descriptions have 64 bytes
  const std::string_view text = description.substr(0, longest);
  Groups groups{};
  if (::regexec(&pattern, std::string(text).c_str(), groups.size(), groups.data(), 0) != 0) return {};
  return {group(text, groups[1]), device_in(text, pattern, groups)};
}

}  // namespace

Result<ReadHost> compile_host_pattern(std::string_view host_pattern) {
  const auto pattern = compiled(host_pattern);
  if (!pattern) {
    return with_cause(fail("the host pattern '{}' is not a valid regular expression", host_pattern),
                      pattern.error().message);
  }
  if ((*pattern)->re_nsub == 0) {
    return with_hint(fail("the host pattern '{}' has no group that would be the host name", host_pattern),
                     R"(put the host name in parentheses, for example '^(\S+) (\S+)$')");
  }
  return [pattern = *pattern](std::string_view description) { return read_host(*pattern, description); };
}

}  // namespace ayatori
