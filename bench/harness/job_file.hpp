#pragma once
/// \file
/// The secret of a job of libacp whose processes a benchmark has started itself.

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace ayatori::bench {

/// A file of mode 0600 with a secret. The destructor removes it.
class JobFile {
 public:
  JobFile() {
    const int made = mkstemp(name_.data());
    std::array<unsigned char, 16> secret{};
    if (getrandom(secret.data(), secret.size(), 0) < 0) return;
    for (const unsigned byte : secret) dprintf(made, "%02x", byte);
    close(made);
  }
  JobFile(const JobFile&) = delete;
  JobFile& operator=(const JobFile&) = delete;
  ~JobFile() { unlink(name_.c_str()); }

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_ = "/tmp/ayatori-job-XXXXXX";
};

}  // namespace ayatori::bench
