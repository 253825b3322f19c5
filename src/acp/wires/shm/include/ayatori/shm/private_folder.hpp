#pragma once
/// \file
/// The folder in which the processes of a job find each other on a host. Nobody else may enter it.

#include <filesystem>

#include "ayatori/base/error.hpp"

namespace ayatori::wires {

/// The folder of a job of this user in this pid namespace. Its name is no secret, but nobody can know it before the job
/// has begun.
[[nodiscard]] std::filesystem::path folder_of_job(std::uint64_t key);

/// Makes the folder if it is missing. Error: somebody else owns it, or others may enter it.
[[nodiscard]] Result<> make_private_folder(const std::filesystem::path& folder);

/// Removes the links of dead processes, and then the folder if it is empty.
void remove_if_over(const std::filesystem::path& folder);

/// The same for the folders of all jobs of this user in this pid namespace.
void remove_stale_folders();

}  // namespace ayatori::wires
