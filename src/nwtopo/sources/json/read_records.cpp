// One pass over the text, without a document in memory: nlohmann-json reports each value to RecordReader as it reads
// it.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>

#include "ayatori/base/text.hpp"
#include "record_reader.hpp"

namespace ayatori::json_format {

bool RecordReader::refuse(std::string_view what) {
  const std::string where = place();
  failure_ = fail_at(file_, 0, where.empty() ? std::string(what) : fmt::format("{}: {}", where, what)).error();
  return false;
}

std::string RecordReader::place() const {
  if (is_inside(In::grid)) return "grid";
  if (is_inside(In::plane)) return fmt::format("planes[{}]", records_.planes.size() - 1);
  if (is_inside(In::background)) {
    return fmt::format("background[{}]", records_.background.size() - (is_inside(In::flow) ? 1 : 0));
  }
  if (is_inside(In::cables)) {
    // A cable is stored when its object begins, anything else in the list is the next item.
    const bool has_begun = is_inside(In::cable);
    return fmt::format("cables[{}]", records_.cables.size() - (has_begun ? 1 : 0));
  }
  if (!is_inside(In::nodes)) return "";
  const bool has_begun = is_inside(In::node);
  std::string where = fmt::format("nodes[{}]", records_.devices.size() - (has_begun ? 1 : 0));
  if (!is_inside(In::details)) return where;
  const std::size_t details = records_.details.size() - records_.devices.back().first_detail;
  return where + fmt::format(".details[{}]", details - (is_inside(In::detail) ? 1 : 0));
}

bool RecordReader::has(std::string_view key) const {
  const auto keys = keys_in(in_);
  const auto bit = static_cast<unsigned>(std::ranges::find(keys, key) - keys.begin());
  return (seen_[static_cast<std::size_t>(in_)] >> bit & 1U) != 0;
}

bool RecordReader::key(std::string& name) {
  const auto keys = keys_in(in_);
  const auto found = std::ranges::find(keys, name);
  if (found == keys.end()) return refuse(fmt::format("unknown key '{}'", name));
  unsigned& seen = seen_[static_cast<std::size_t>(in_)];
  const unsigned bit = 1U << (found - keys.begin());
  if ((seen & bit) != 0) return refuse(fmt::format("the key '{}' twice in one object", name));
  seen |= bit;
  key_ = *found;
  return true;
}

bool RecordReader::enter(In where) {
  around_.push_back(in_);
  in_ = where;
  seen_[static_cast<std::size_t>(where)] = 0;
  return true;
}

bool RecordReader::start_object(std::size_t) {
  switch (in_) {
    case In::nothing:
      return enter(In::document);
    case In::document:
      if (key_ != "grid") break;
      records_.grid.emplace();
      return enter(In::grid);
    case In::planes:
      records_.planes.emplace_back();
      purposes_.clear();
      fibre_channel_ = false;
      return enter(In::plane);
    case In::nodes:
      records_.devices.emplace_back().first_detail = records_.details.size();
      return enter(In::node);
    case In::details:
      records_.details.emplace_back();
      return enter(In::detail);
    case In::cables:
      records_.cables.emplace_back();
      return enter(In::cable);
    case In::background:
      records_.background.emplace_back();
      return enter(In::flow);
    default:
      break;
  }
  return scalar({});
}

bool RecordReader::start_array(std::size_t) {
  if (in_ == In::document && key_ == "planes") return enter(In::planes);
  if (in_ == In::document && key_ == "nodes") return enter(In::nodes);
  if (in_ == In::document && key_ == "cables") return enter(In::cables);
  if (in_ == In::document && key_ == "background") return enter(In::background);
  if (in_ == In::plane && key_ == "for") return enter(In::purposes);
  if (in_ == In::grid && key_ == "dimensions") return enter(In::dimensions);
  if (in_ == In::grid && key_ == "periodic") return enter(In::periodic);
  if (in_ == In::node && key_ == "details") return enter(In::details);
  if ((in_ == In::cable || in_ == In::flow) && (key_ == "from" || key_ == "to")) {
    values_in_end_ = 0;
    return enter(In::end);
  }
  return scalar({});
}

bool RecordReader::end_array() {
  if (in_ == In::end && values_in_end_ != 2) return end_value({});
  in_ = around_.back();
  around_.pop_back();
  return true;
}

bool RecordReader::end_object() {
  if (in_ == In::plane && !end_plane()) return false;
  if (in_ == In::node && !end_node()) return false;
  if (in_ == In::document && !end_document()) return false;
  if (in_ == In::cable || in_ == In::flow) {
    for (const std::string_view end : {"from", "to"}) {
      if (!has(end)) return refuse(fmt::format("expected a list for '{}'", end));
    }
  }
  if (in_ == In::grid && records_.grid->dimensions.size() != records_.grid->periodic.size()) {
    return refuse("expected as many values for 'periodic' as for 'dimensions'");
  }
  in_ = around_.back();
  around_.pop_back();
  return true;
}

bool RecordReader::end_plane() {
  if (!has("name")) return refuse("expected a string for 'name'");
  PlaneUse& use = records_.planes.back().use;
  if (has("for")) use = PlaneUse::only(purposes_);
  if (!fibre_channel_) return true;
  const PlaneUse storage = PlaneUse::of_fibre_channel();
  if (has("for") && use.purposes() != storage.purposes()) return refuse("Fibre Channel carries storage alone");
  use = storage;
  return true;
}

bool RecordReader::end_node() {
  DeviceRecord& device = records_.devices.back();
  if (!has("kind")) return refuse("expected a string for 'kind'");
  if (!has("name")) return refuse("expected a string for 'name'");
  if (!has("ports")) return refuse("expected a number up to 65535 for 'ports'");
  if (device.kind != DeviceKind::nic && (has("machine") || has("rail"))) {
    return refuse("only a nic has a machine and a rail");
  }
  if (has("rail") && !has("machine")) return refuse("a rail without a machine");
  return true;
}

bool RecordReader::end_document() {
  if (!has("format")) return refuse("expected the format 'nwtopo-json'");
  if (!has("version")) return refuse("expected version 1");
  for (const std::string_view list : {"planes", "nodes", "cables"}) {
    if (!has(list)) return refuse(fmt::format("expected a list for '{}'", list));
  }
  return true;
}

bool RecordReader::scalar(const Scalar& value) {
  switch (in_) {
    case In::nothing:
    case In::nodes:
    case In::details:
    case In::cables:
    case In::background:
      return refuse("expected an object");
    case In::document:
      return document_value(value);
    case In::planes:
      if (value.type != Scalar::Type::string) return refuse("expected names or objects in 'planes'");
      records_.planes.push_back({std::move(*value.text), {}});
      return true;
    case In::plane:
      return plane_value(value);
    case In::purposes:
      return add_purpose(value);
    case In::grid:
      return refuse(fmt::format("expected a list for '{}'", key_));
    case In::dimensions:
    case In::periodic:
      return grid_value(value);
    case In::node:
      return node_value(value);
    case In::detail:
      return detail_value(value);
    case In::cable:
    case In::flow:
      return cable_value(value);
    case In::end:
      return end_value(value);
  }
  return false;
}

bool RecordReader::document_value(const Scalar& value) {
  if (key_ == "format") {
    const bool is_ours = value.type == Scalar::Type::string && *value.text == "nwtopo-json";
    return is_ours || refuse("expected the format 'nwtopo-json'");
  }
  if (key_ == "version") {
    return (value.type == Scalar::Type::number && value.number == 1) || refuse("expected version 1");
  }
  if (key_ == "grid") return refuse("expected an object for 'grid'");
  if (key_ != "direct") return refuse(fmt::format("expected a list for '{}'", key_));
  if (value.type != Scalar::Type::boolean) return refuse("expected true or false for 'direct'");
  records_.direct = value.number != 0;
  return true;
}

bool RecordReader::plane_value(const Scalar& value) {
  if (key_ == "name") return take_text(value, records_.planes.back().name);
  if (key_ == "for") return refuse("expected a list like [\"collectives\"] for 'for'");
  if (value.type != Scalar::Type::boolean) return refuse("expected true or false for 'fibre_channel'");
  fibre_channel_ = value.number != 0;
  return true;
}

bool RecordReader::add_purpose(const Scalar& value) {
  const std::string word = value.type == Scalar::Type::string ? *value.text : "";
  const auto* const known = std::ranges::find(named_purposes, word, &std::pair<std::string_view, Purpose>::first);
  if (known == named_purposes.end()) {
    return refuse("expected some of collectives, neighbours and storage for 'for'");
  }
  purposes_.push_back(known->second);
  return true;
}

bool RecordReader::grid_value(const Scalar& value) {
  if (in_ == In::periodic) {
    if (value.type != Scalar::Type::boolean) return refuse("expected true or false in 'periodic'");
    records_.grid->periodic.push_back(value.number != 0);
    return true;
  }
  const bool is_length = value.type == Scalar::Type::number && value.number >= 1 && value.number < no_id;
  if (!is_length) return refuse("expected lengths in 'dimensions'");
  records_.grid->dimensions.push_back(static_cast<std::uint32_t>(value.number));
  return true;
}

bool RecordReader::node_value(const Scalar& value) {
  DeviceRecord& device = records_.devices.back();
  if (key_ == "kind") return set_kind(value);
  if (key_ == "name") return take_text(value, device.name);
  if (key_ == "ports") return take_number(value, device.ports);
  if (key_ == "plane") return take_number(value, device.plane);
  if (key_ == "machine") return take_text(value, device.machine.emplace());
  if (key_ == "rail") return take_number(value, device.rail);
  if (key_ == "guid") return take_guid(value, device.guid);
  if (key_ == "system_guid") return take_guid(value, device.system_guid);
  if (key_ == "vendor_id") return take_number(value, device.vendor_id);
  if (key_ == "model_id") return take_number(value, device.model_id);
  return refuse(fmt::format("expected a list for '{}'", key_));
}

bool RecordReader::set_kind(const Scalar& value) {
  if (value.type != Scalar::Type::string) return refuse("expected a string for 'kind'");
  constexpr std::array<std::pair<std::string_view, DeviceKind>, 3> kinds = {
      {{"router", DeviceKind::router}, {"nic", DeviceKind::nic}, {"aggregation", DeviceKind::aggregation}}};
  const auto found = std::ranges::find(kinds, *value.text, &std::pair<std::string_view, DeviceKind>::first);
  if (found == kinds.end()) {
    return refuse(fmt::format("expected the kind router, nic or aggregation instead of '{}'", *value.text));
  }
  records_.devices.back().kind = found->second;
  return true;
}

bool RecordReader::detail_value(const Scalar& value) {
  DetailRecord& detail = records_.details.back();
  if (key_ == "guid") return take_guid(value, detail.guid);
  if (key_ == "lid") return take_number(value, detail.lid);
  if (key_ == "lmc") return take_number(value, detail.lmc);
  if (key_ == "max_rate") return take_rate(value, detail.max_rate);
  PortNumber port = 0;
  if (!take_number(value, port)) return false;
  detail.port = port;
  return true;
}

bool RecordReader::cable_value(const Scalar& value) {
  CableRecord& cable = ends();
  if (key_ == "latency") return take_number(value, cable.latency);
  if (key_ != "rate") return refuse(fmt::format("expected a list for '{}'", key_));
  return take_rate(value, cable.rate);
}

bool RecordReader::end_value(const Scalar& value) {
  if (value.type != Scalar::Type::number || values_in_end_ >= 2) {
    return refuse(fmt::format("expected [node, port] for '{}'", key_));
  }
  CableRecord& cable = ends();
  EndRecord& end = key_ == "from" ? cable.from : cable.to;
  (values_in_end_ == 0 ? end.device : end.port) = value.number;
  ++values_in_end_;
  return true;
}

template <typename Integer>
bool RecordReader::take_number(const Scalar& value, Integer& field) {
  constexpr std::uint64_t max = std::numeric_limits<Integer>::max();
  if (value.type != Scalar::Type::number || value.number > max) {
    return refuse(fmt::format("expected a number up to {} for '{}'", max, key_));
  }
  field = static_cast<Integer>(value.number);
  return true;
}

bool RecordReader::take_text(const Scalar& value, std::string& field) {
  if (value.type != Scalar::Type::string) return refuse(fmt::format("expected a string for '{}'", key_));
  field = std::move(*value.text);
  return true;
}

bool RecordReader::take_guid(const Scalar& value, Guid& field) {
  std::string word;
  if (!take_text(value, word)) return false;
  const auto guid = parse_guid(word);
  if (!guid) return refuse(fmt::format("expected a GUID like \"0x0002c90300000001\" for '{}'", key_));
  field = *guid;
  return true;
}

bool RecordReader::take_rate(const Scalar& value, LinkRate& field) {
  std::string word;
  if (!take_text(value, word)) return false;
  const auto rate = parse_link_rate(word);
  if (!rate) return refuse(fmt::format("expected a rate like \"4xHDR\" or \"25Gbit/s\" for '{}'", key_));
  field = *rate;
  return true;
}

bool RecordReader::parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
  const auto before = text_.substr(0, std::min(position, text_.size()));
  const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
  failure_ = with_cause(fail_at(file_, line, "not valid JSON"), error.what()).error();
  return false;
}

Result<Records> read_records(std::string_view text, std::string_view file) {
  RecordReader reader(text, file);
  if (!nlohmann::json::sax_parse(text, &reader)) return Failure(reader.failure());
  return reader.take();
}

}  // namespace ayatori::json_format
