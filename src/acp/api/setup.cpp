#include <cstdlib>

#include "ayatori/base/text.hpp"
#include "ayatori/joining/variables.hpp"
#include "library.hpp"

namespace ayatori::acp {

namespace {

constexpr std::uint32_t max_connections = 4096;

/// ACP_CONNECTIONS: a number, also 0.
Result<std::uint32_t> connections(std::uint32_t otherwise) {
  const char* const text = std::getenv("ACP_CONNECTIONS");
  if (!text) return otherwise;
  const auto value = parse_unsigned<std::uint32_t>(text);
  if (value && *value <= max_connections) return *value;
  return fail("ACP_CONNECTIONS is '{}'; it must be a number from 0 to {}", text, max_connections);
}

}  // namespace

Result<Setup> read_setup() {
  Setup setup;
  if (auto read = read_job_setup(setup); !read) return Failure(read.error());
  const auto progress = choice("ACP_PROGRESS", {"thread", "poll"});
  if (!progress) return Failure(progress.error());
  const auto atomics = choice("ACP_ATOMICS", {"auto", "adapter"});
  if (!atomics) return Failure(atomics.error());
  const auto reliable = connections(setup.connections);
  if (!reliable) return Failure(reliable.error());
  const auto starter = positive<Bytes>("ACP_STARTER_BYTES", setup.starter_bytes);
  if (!starter) return Failure(starter.error());
  setup.progress_thread = *progress == 0;
  setup.adapter_atomics = *atomics == 1;
  setup.connections = *reliable;
  setup.starter_bytes = *starter;
  return setup;
}

}  // namespace ayatori::acp
