#include "model.hpp"

#include <fmt/core.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "ayatori/artefacts/assumed_costs.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/tuning/candidates.hpp"
#include "ayatori/tuning/predicted.hpp"

namespace ayatori::plugin {

namespace {

std::string processor_here() {
  const auto info = read_file("/proc/cpuinfo");
  utsname system{};
  uname(&system);
  return processor_name(info ? *info : "", system.machine);
}

/// Of the calibration that AYATORI_CALIBRATION names, on process 0; empty: none that can be used. The number of cores
/// is not compared: what messages cost was measured by two ranks, and clouds rent any number of a processor's cores.
std::string calibration_here() {
  const char* const path = std::getenv("AYATORI_CALIBRATION");
  if (path == nullptr || *path == '\0') return {};
  auto read = read_calibration(path);
  if (!read) {
    report(fmt::format("the calibration is not used: {}", in_words(read.error())));
    return {};
  }
  const std::string processor = processor_here();
  if (processor_of(*read) != processor) {
    report(
        fmt::format("the calibration is not used: it was measured on {}, and this is a {}", read->machine, processor));
    return {};
  }
  const double carried = process().machine_bandwidth;
  if (process().placement.machine_count() > 1 && is_of_a_faster_network(*read, carried)) {
    report(
        fmt::format("what the calibration says between machines is not used: {:.3g} GB/s were measured, which the NICs "
                    "of this network, with {:.3g} GB/s, don't carry",
                    read->between->bandwidth / 1e9, carried / 1e9));
    read->between.reset();
  }
  return calibration_text(*read);
}

constexpr std::size_t max_candidates = 3;

/// What rank 0 found, as it travels.
using CandidateText = std::array<char, 256>;

/// On rank 0: the two predicted best, and the one that is good in general, which the model may not see.
std::vector<ForcedChoice> found_here(MpiCall call, Bytes bytes, const Placement& placement) {
  const auto predicted = predicted_choices(call, bytes, placement, process().model);
  const auto usual = candidates(call, bytes, placement);
  std::vector<ForcedChoice> found;
  std::string words;
  const auto add = [&](const ForcedChoice& one, const std::string& why) {
    if (found.size() == max_candidates ||
        std::ranges::find(found, one.algorithm, &ForcedChoice::algorithm) != found.end())
      return;
    words += fmt::format("{}{} ({})", words.empty() ? "" : ", ", one.algorithm, why);
    found.push_back(one);
  };
  // The model's links are alike; it knows nothing of gateways.
  const bool by_model = std::ranges::find(placement.gateway, false) == placement.gateway.end();
  for (const ForcedChoice& one : usual) {
    if (!by_model) add(one, "usual");
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(2, predicted.size()); ++i) {
    add(predicted[i].choice, fmt::format("predicted {:.2f} us", predicted[i].seconds * 1e6));
  }
  for (const ForcedChoice& one : usual) {
    if (found.size() < 2 || &one == &usual.front()) add(one, "usual");
  }
  explain(fmt::format("{} of about {} bytes on {} ranks: {} {}; costs {}", names_of(call).name, bytes,
                      placement.machine.size(),
                      process().mpi_is_elsewhere(placement) ? "not the MPI's own, which would take other networks, but"
                                                            : "the MPI's own is compared with",
                      words, process().costs_from));
  return found;
}

}  // namespace

void take_model(Process& process) {
  const AssumedCosts assumed = assumed_costs(process.link_rate, process.direct);
  process.model = {assumed.costs, process.link_rate.bytes_per_second(), assumed.link_latency};
  process.costs_from = fmt::format("assumed for {}", process.direct              ? "links of built-in routers"
                                                     : process.link_rate.known() ? to_string(process.link_rate)
                                                                                 : "4xHDR (rate not known)");
  const std::string text = shared_text(process.rank == 0 ? calibration_here() : "");
  if (text.empty()) return;
  const auto calibration = parse_calibration(text, "AYATORI_CALIBRATION");
  if (!calibration) return;
  process.model.costs = costs_of(*calibration, assumed.costs, assumed.link_latency);
  const bool partly = !calibration->between && process.placement.machine_count() > 1;
  process.costs_from = fmt::format("measured on {}{}", calibration->machine,
                                   partly ? ", between machines " + process.costs_from : std::string());
}

std::vector<ForcedChoice> worth_a_trial(MpiCall call, Bytes bytes, const Placement& placement, MPI_Comm comm,
                                        Rank rank) {
  CandidateText text{};
  if (rank == 0) {
    std::string words;
    for (const ForcedChoice& one : found_here(call, bytes, placement)) {
      words += fmt::format("{} {}\n", one.algorithm, one.chunk_bytes);
    }
    std::ranges::copy_n(words.begin(), static_cast<std::ptrdiff_t>(std::min(words.size(), text.size() - 1)),
                        text.begin());
  }
  if (PMPI_Bcast(text.data(), text.size(), MPI_CHAR, 0, comm) != MPI_SUCCESS) return {};
  std::vector<ForcedChoice> found;
  LineReader lines(text.data());
  while (const auto line = lines.next()) {
    const auto words = split(*line, ' ');
    if (words.size() == 2) found.push_back({std::string(words[0]), parse_unsigned<Bytes>(words[1]).value_or(0)});
  }
  return found;
}

}  // namespace ayatori::plugin
