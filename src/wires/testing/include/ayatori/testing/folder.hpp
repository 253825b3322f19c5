#pragma once
/// \file
/// A folder of a test, gone at its end.

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace ayatori::wires {

class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "ayatori-test-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace ayatori::wires
