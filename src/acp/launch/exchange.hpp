#pragma once
/// \file
/// The launchers that pass something on. Each shares the secret of rank 0 when it is made.

#include <filesystem>

#include "ayatori/launch/launcher.hpp"

namespace ayatori::launch {

using MakeSecret = std::function<Result<JobSecret>()>;

/// PMI-1's text protocol over a descriptor, PMI_FD: lines "cmd=NAME key=value …\n". All ranks call it. Error: the
/// launcher does not answer as the protocol demands. An MPI in this process uses the same descriptor, and begins and
/// ends the conversation: ours is in between, while MPI_Init opens the network.
[[nodiscard]] Result<std::unique_ptr<Launcher>> join_pmi(int descriptor, Placement placement, const MakeSecret& random);

/// PMIx. nullptr if the library was built without PMIx, or if libpmix.so.2 or the PMIx server is missing. Error: the
/// server says that the ranks of this host are others than the placement has.
[[nodiscard]] Result<std::unique_ptr<Launcher>> join_pmix(const Placement& placement, const MakeSecret& random);

/// A file. Its first line is the secret; what rank r has published is at a place that follows from r.
[[nodiscard]] Result<std::unique_ptr<Launcher>> join_by_file(const std::filesystem::path& file, Placement placement);

/// The key under which the launcher keeps something.
inline constexpr const char* secret_name = "ayatori-job-secret";
inline constexpr const char* published_name = "ayatori-address";

inline constexpr const char* how_to_place = "mpirun --map-by slot, mpiexec.hydra -ppn N, srun --distribution=block";

/// What is loaded in this process and has this function, also in libraries whose names nobody else sees; or nullptr.
[[nodiscard]] void* loaded_with(const char* function);

/// Launchers keep texts.
[[nodiscard]] std::string hex_of(std::span<const std::byte> bytes);
/// Nothing if it is not such a text.
[[nodiscard]] std::optional<std::vector<std::byte>> bytes_of(std::string_view hex);

}  // namespace ayatori::launch
