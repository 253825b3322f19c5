#pragma once
/// \file
/// Reads the text of a network in one pass: which keys there are, and what the reader is inside of.

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "records.hpp"

namespace ayatori::json_format {

/// What the reader is inside of.
enum class In : std::uint8_t {
  nothing,
  document,
  planes,
  plane,
  purposes,
  grid,
  dimensions,
  periodic,
  nodes,
  node,
  details,
  detail,
  cables,
  cable,
  background,
  flow,
  end
};

inline constexpr std::array<std::string_view, 8> document_keys = {"format", "version", "direct", "planes",
                                                                  "grid",   "nodes",   "cables", "background"};
inline constexpr std::array<std::string_view, 3> plane_keys = {"name", "for", "fibre_channel"};
inline constexpr std::array<std::string_view, 2> grid_keys = {"dimensions", "periodic"};
inline constexpr std::array<std::string_view, 11> node_keys = {
    "kind", "name", "ports", "plane", "machine", "rail", "guid", "system_guid", "vendor_id", "model_id", "details"};
inline constexpr std::array<std::string_view, 5> detail_keys = {"port", "guid", "lid", "lmc", "max_rate"};
inline constexpr std::array<std::string_view, 4> cable_keys = {"from", "to", "rate", "latency"};
inline constexpr std::array<std::string_view, 3> flow_keys = {"from", "to", "rate"};

inline std::span<const std::string_view> keys_in(In where) {
  switch (where) {
    case In::document:
      return document_keys;
    case In::plane:
      return plane_keys;
    case In::grid:
      return grid_keys;
    case In::node:
      return node_keys;
    case In::detail:
      return detail_keys;
    case In::cable:
      return cable_keys;
    case In::flow:
      return flow_keys;
    default:
      return {};
  }
}

/// A value other than an object or array. Everything that no key takes (null, a fraction, a negative number) is
/// `other`.
struct Scalar {
  enum class Type : std::uint8_t { other, number, boolean, string };
  Type type = Type::other;
  std::uint64_t number = 0;  ///< of a boolean: 0 or 1
  std::string* text = nullptr;
};

/// Receives nlohmann-json's events. A false return value ends the reading, with the error in failure().
class RecordReader {
 public:
  RecordReader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  bool null() { return scalar({}); }
  bool boolean(bool value) { return scalar({Scalar::Type::boolean, value ? 1U : 0U, nullptr}); }
  bool number_integer(std::int64_t) { return scalar({}); }
  bool number_unsigned(std::uint64_t value) { return scalar({Scalar::Type::number, value, nullptr}); }
  bool number_float(double, const std::string&) { return scalar({}); }
  bool string(std::string& value) { return scalar({Scalar::Type::string, 0, &value}); }
  bool binary(nlohmann::json::binary_t&) { return scalar({}); }
  bool start_object(std::size_t);
  bool key(std::string& name);
  bool end_object();
  bool start_array(std::size_t);
  bool end_array();
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error);

  [[nodiscard]] const Error& failure() const { return failure_; }
  [[nodiscard]] Records take() { return std::move(records_); }

 private:
  bool scalar(const Scalar& value);
  bool document_value(const Scalar& value);
  bool plane_value(const Scalar& value);
  bool add_purpose(const Scalar& value);
  bool grid_value(const Scalar& value);
  bool node_value(const Scalar& value);
  bool set_kind(const Scalar& value);
  bool detail_value(const Scalar& value);
  bool cable_value(const Scalar& value);
  bool end_value(const Scalar& value);
  bool end_plane();
  bool end_node();
  bool end_document();

  template <typename Integer>
  bool take_number(const Scalar& value, Integer& field);
  bool take_text(const Scalar& value, std::string& field);
  bool take_guid(const Scalar& value, Guid& field);
  bool take_rate(const Scalar& value, LinkRate& field);

  bool enter(In where);
  [[nodiscard]] bool has(std::string_view key) const;
  bool refuse(std::string_view what);
  [[nodiscard]] std::string place() const;
  [[nodiscard]] bool is_inside(In where) const {
    return in_ == where || std::ranges::find(around_, where) != around_.end();
  }
  /// The cable, or the flow of the background, that is being read.
  [[nodiscard]] CableRecord& ends() {
    return is_inside(In::background) ? records_.background.back() : records_.cables.back();
  }

  std::string_view text_;
  std::string_view file_;
  Error failure_;
  Records records_;

  In in_ = In::nothing;
  std::vector<In> around_;           // what in_ is inside of, from the outermost
  std::string_view key_;             // of the value that comes next; points into keys_in()
  std::array<unsigned, 17> seen_{};  // keys of the object that is being read: one bit per key, by In
  std::size_t values_in_end_ = 0;
  std::vector<Purpose> purposes_;  // of the plane that is being read
  bool fibre_channel_ = false;     // likewise
};

}  // namespace ayatori::json_format
