#include <fmt/core.h>

#include <optional>

#include "ayatori/base/text.hpp"
#include "described.hpp"

namespace ayatori::slurm {

namespace {

/// "n007" is "n" and the number 7 of 3 digits.
struct Numbered {
  std::string_view stem;
  std::string_view digits;
  std::uint64_t number = 0;

  [[nodiscard]] bool padded() const { return digits.size() > 1 && digits.front() == '0'; }
};

/// Nothing for a name without a number, or with one that programs keep in no integer.
std::optional<Numbered> numbered(std::string_view name) {
  constexpr std::size_t max_digits = 9;
  const std::size_t end_of_stem = name.find_last_not_of("0123456789");
  const std::size_t begin = end_of_stem == std::string_view::npos ? 0 : end_of_stem + 1;
  const std::string_view digits = name.substr(begin);
  if (begin == 0 || digits.empty() || digits.size() > max_digits) return std::nullopt;
  return Numbered{name.substr(0, begin), digits, *parse_unsigned<std::uint64_t>(digits)};
}

bool follows(const Numbered& last, const Numbered& next) {
  if (next.number != last.number + 1) return false;
  return next.digits.size() == last.digits.size() || (!last.padded() && !next.padded());
}

/// Collects neighbours with one stem into "stem[1-3,7]".
class Compressor {
 public:
  void add(std::string_view name) {
    const auto next = numbered(name);
    if (!next) {
      end_stem();
      begin_word() += name;
      return;
    }
    if (last_ && next->stem == last_->stem) {
      if (!follows(*last_, *next)) {
        end_range();
        ranges_ += ',';
        first_ = *next;
      }
    } else {
      end_stem();
      first_ = *next;
    }
    last_ = *next;
  }

  [[nodiscard]] std::string take() {
    end_stem();
    return std::move(text_);
  }

 private:
  std::string& begin_word() {
    if (!text_.empty()) text_ += ',';
    return text_;
  }

  void end_range() {
    ranges_ += first_.digits;
    if (first_.number != last_->number) ranges_ += fmt::format("-{}", last_->digits);
  }

  void end_stem() {
    if (!last_) return;
    end_range();
    const bool single = ranges_.find_first_of("-,") == std::string::npos;
    begin_word() += fmt::format("{}{}{}{}", last_->stem, single ? "" : "[", ranges_, single ? "" : "]");
    ranges_.clear();
    last_.reset();
  }

  std::string text_;
  std::string ranges_;  // of the stem at hand, without the last one
  Numbered first_;      // of the range at hand
  std::optional<Numbered> last_;
};

}  // namespace

std::string compress_hostlist(const std::vector<std::string>& names) {
  Compressor compressor;
  for (const std::string& name : names) compressor.add(name);
  return compressor.take();
}

}  // namespace ayatori::slurm
