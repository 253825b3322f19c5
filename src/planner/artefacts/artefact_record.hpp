#pragma once
/// \file
/// How the artefacts are read from JSON and written as JSON. A record is described once, by a function that hands each
/// of its members to `fields`, in the order of the file, with its name and its kind:
///
///     constexpr auto describe_host = [](auto& fields, auto& host) {
///       fields.member("host", host.host, FilledText{});
///       fields.member("ranks", host.ranks, Count{1, max_ranks});
///     };
///
/// MemberReader fills the record from an object, up to the first error, and MemberWriter makes the object. A kind is
/// what one value may be:
///
///     Result<> read(const JsonValue& value, T& into) const;   ///< the error names the place and what was expected
///     Json write(const T& value) const;

#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/artefacts/job_host.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/base/ids.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/json_document/json_document.hpp"

namespace ayatori {

using Json = nlohmann::ordered_json;

/// JSON numbers up to here are the same in every reader, and fit a signed 64-bit integer.
inline constexpr std::uint64_t max_count = std::numeric_limits<std::int64_t>::max();

/// Of all formats of this release.
inline constexpr std::uint64_t artefact_version = 1;

/// What a reader expects at the head of a document.
struct ArtefactHead {
  std::string_view format;   ///< "ayatori-plan"
  std::string_view name;     ///< "a plan"; for messages
  std::string_view made_by;  ///< "`ayatori plan --out FILE` writes one"; a hint
};

/// Checks "format" and "version". Error: another format or version.
[[nodiscard]] Result<> read_head(const JsonValue& document, const ArtefactHead& head);

// --- records --------------------------------------------------------------------------------------------------------

class MemberReader {
 public:
  /// `known`: members that somebody else reads.
  explicit MemberReader(const JsonValue& object, std::vector<std::string_view> known = {})
      : object_(object), known_(std::move(known)) {}

  /// A member that must be there, and is not null.
  template <typename T, typename Kind>
  void member(std::string_view name, T& into, const Kind& kind) {
    known_.push_back(name);
    if (!result_) return;
    const auto value = object_.at(name);
    result_ = value ? kind.read(*value, into) : Failure(value.error());
  }
  /// One that may be missing: then `into` stays as it is.
  template <typename T, typename Kind>
  void optional(std::string_view name, T& into, const Kind& kind) {
    known_.push_back(name);
    if (object_.has(name)) member(name, into, kind);
  }
  /// The same. optional() writes it always, this one only if `is_written`.
  template <typename T, typename Kind>
  void optional_if(bool /*is_written*/, std::string_view name, T& into, const Kind& kind) {
    optional(name, into, kind);
  }
  /// One that must be there: null says that there is nothing.
  template <typename T, typename Kind>
  void nullable(std::string_view name, std::optional<T>& into, const Kind& kind) {
    if (object_.has(name) && object_.find(name) && !*object_.find(name)) {
      known_.push_back(name);
      into.reset();
    } else {
      member(name, into.emplace(), kind);
    }
  }
  /// What the members must be together: `check(object)` returns a Result<>. Only while reading, and without an error
  /// before.
  template <typename Check>
  void check(const Check& check) {
    if (result_) result_ = check(object_);
  }
  /// Error: a member that was not named before.
  void no_others(std::string_view of);

  [[nodiscard]] const Result<>& result() const { return result_; }

 private:
  const JsonValue& object_;
  std::vector<std::string_view> known_;
  Result<> result_;
};

class MemberWriter {
 public:
  explicit MemberWriter(Json json = Json::object()) : json_(std::move(json)) {}

  template <typename T, typename Kind>
  void member(std::string_view name, const T& value, const Kind& kind) {
    json_[std::string(name)] = kind.write(value);
  }
  template <typename T, typename Kind>
  void optional(std::string_view name, const T& value, const Kind& kind) {
    member(name, value, kind);
  }
  template <typename T, typename Kind>
  void optional_if(bool is_written, std::string_view name, const T& value, const Kind& kind) {
    if (is_written) member(name, value, kind);
  }
  template <typename T, typename Kind>
  void nullable(std::string_view name, const std::optional<T>& value, const Kind& kind) {
    json_[std::string(name)] = value ? kind.write(*value) : Json(nullptr);
  }
  template <typename Check>
  void check(const Check& /*check*/) {}
  void no_others(std::string_view /*of*/) {}

  [[nodiscard]] Json json() && { return std::move(json_); }

 private:
  Json json_;
};

// --- kinds ----------------------------------------------------------------------------------------------------------

/// Kinds that are written as they are.
struct Plain {
  template <typename T>
  [[nodiscard]] Json write(const T& value) const {
    return value;
  }
};

/// A string, possibly empty.
struct Text : Plain {
  [[nodiscard]] Result<> read(const JsonValue& value, std::string& into) const;
};

struct FilledText : Plain {
  [[nodiscard]] Result<> read(const JsonValue& value, std::string& into) const;
};

struct Truth : Plain {
  [[nodiscard]] Result<> read(const JsonValue& value, bool& into) const;
};

/// A number that is not negative.
struct Amount : Plain {
  [[nodiscard]] Result<> read(const JsonValue& value, double& into) const;
};

/// A whole number. What it is read into must have room for `max`.
struct Count : Plain {
  std::uint64_t min;
  std::uint64_t max;
  constexpr explicit Count(std::uint64_t least = 0, std::uint64_t most = max_count) : min(least), max(most) {}

  template <typename T>
  [[nodiscard]] Result<> read(const JsonValue& value, T& into) const {
    const auto found = read(value);
    if (!found) return Failure(found.error());
    into = static_cast<T>(*found);
    return {};
  }
  [[nodiscard]] Result<std::uint64_t> read(const JsonValue& value) const;
};

/// A string that stands for something: `parse(text)` gives it or std::nullopt, `text_of(value)` the string.
template <typename Parse, typename TextOf>
struct TextFor {
  Parse parse;
  TextOf text_of;
  std::string_view expected;  ///< "expected an IP address like …"

  template <typename T>
  [[nodiscard]] Result<> read(const JsonValue& value, T& into) const {
    const auto text = value.text();
    if (!text) return Failure(text.error());
    const auto parsed = parse(*text);
    if (!parsed) return value.wrong(expected);
    into = *parsed;
    return {};
  }
  template <typename T>
  [[nodiscard]] Json write(const T& value) const {
    return text_of(value);
  }
};
template <typename Parse, typename TextOf>
TextFor(Parse, TextOf, std::string_view) -> TextFor<Parse, TextOf>;

inline constexpr TextFor guid_text{
    [](std::string_view text) { return text.starts_with("0x") ? parse_guid(text) : std::nullopt; },
    [](Guid guid) { return fmt::format("{:#018x}", guid); }, "expected a GUID like \"0x0002c90300a1b2c3\""};

/// An object whose members `describe` names.
template <typename Describe>
struct Record {
  Describe describe;

  template <typename T>
  [[nodiscard]] Result<> read(const JsonValue& value, T& into) const {
    MemberReader fields(value);
    describe(fields, into);
    return fields.result();
  }
  template <typename T>
  [[nodiscard]] Json write(const T& value) const {
    MemberWriter fields;
    describe(fields, value);
    return std::move(fields).json();
  }
};
template <typename Describe>
Record(Describe) -> Record<Describe>;

/// An array of one kind.
template <typename Item>
struct List {
  Item item;
  bool filled = false;  ///< at least one item

  template <typename T>
  [[nodiscard]] Result<> read(const JsonValue& value, std::vector<T>& into) const {
    const auto items = value.items();
    if (!items) return Failure(items.error());
    if (filled && items->empty()) return value.wrong("expected an array that is not empty");
    for (const JsonValue& each : *items) {
      if (auto read = item.read(each, into.emplace_back()); !read) return read;
    }
    return {};
  }
  template <typename T>
  [[nodiscard]] Json write(const std::vector<T>& values) const {
    Json list = Json::array();
    for (const T& value : values) list.push_back(item.write(value));
    return list;
  }
};
template <typename Item>
List(Item) -> List<Item>;
template <typename Item>
List(Item, bool) -> List<Item>;

/// Hosts in rank order, of at most 2^24 ranks together.
struct Machines {
  [[nodiscard]] Result<> read(const JsonValue& value, std::vector<JobHost>& into) const;
  [[nodiscard]] Json write(const std::vector<JobHost>& machines) const;
};

// --- files ----------------------------------------------------------------------------------------------------------

/// The JSON of a file, with its head. `indent`: spaces a level; -1: all on one line.
template <typename Artefact, typename Describe>
[[nodiscard]] std::string artefact_text(const ArtefactHead& head, const Artefact& artefact, const Describe& describe,
                                        int indent = 1) {
  MemberWriter fields(Json{{"format", head.format}, {"version", artefact_version}});
  describe(fields, artefact);
  return std::move(fields).json().dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Reads what artefact_text() wrote; `file` names it in messages.
template <typename Artefact, typename Describe>
[[nodiscard]] Result<Artefact> parse_artefact(const ArtefactHead& head, std::string_view text, std::string_view file,
                                              const Describe& describe) {
  const auto document = JsonValue::parse(text, file);
  if (!document) return Failure(document.error());
  if (auto checked = read_head(*document, head); !checked) return Failure(checked.error());
  Artefact artefact;
  MemberReader fields(*document, {"format", "version"});
  describe(fields, artefact);
  if (!fields.result()) return Failure(fields.result().error());
  return artefact;
}

/// The file, by what parses its text: `parse(text, file)`.
template <typename Parse>
[[nodiscard]] auto read_artefact(const std::filesystem::path& path, const Parse& parse)
    -> decltype(parse(std::string_view(), std::string_view())) {
  const auto text = read_file(path);
  if (!text) return Failure(text.error());
  return parse(*text, path.string());
}

}  // namespace ayatori
