#pragma once
/// \file
/// What all writers share: text in pieces, and names made safe for the format at hand.

#include <fmt/core.h>

#include <string>
#include <string_view>

#include "ayatori/base/files.hpp"

namespace ayatori::exports {

/// Formats into a sink, in pieces of some size.
class Out {
 public:
  explicit Out(const Sink& sink) : sink_(sink) {}
  ~Out() { sink_(pending_); }
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;

  template <typename... Args>
  void operator()(fmt::format_string<Args...> format, Args&&... args) {
    pending_ += fmt::format(format, std::forward<Args>(args)...);
    if (pending_.size() < piece) return;
    sink_(pending_);
    pending_.clear();
  }

 private:
  static constexpr std::size_t piece = 1 << 16;
  const Sink& sink_;
  std::string pending_;
};

/// The text as UTF-8 without what XML 1.0 (section 2.2) does not allow: a broken byte or a control character other than
/// tab, newline and carriage return becomes U+FFFD.
[[nodiscard]] std::string clean_utf8(std::string_view bytes);

/// Safe between tags and in attribute values, where a reader gets it back as it was (apart from clean_utf8).
[[nodiscard]] std::string xml_text(std::string_view bytes);

/// A quoted string of the DOT language that shows the text as it is.
[[nodiscard]] std::string dot_text(std::string_view bytes);

}  // namespace ayatori::exports
