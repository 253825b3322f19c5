#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "ayatori/base/descriptor.hpp"
#include "exchange.hpp"

namespace ayatori::launch {

namespace {

/// The secret comes first; each rank's entry begins with its size.
constexpr off_t first_entry = 4096;
constexpr std::size_t entry_bytes = max_published + 2;

off_t place_of(Rank rank) { return first_entry + static_cast<off_t>(rank) * static_cast<off_t>(entry_bytes); }

class FileLauncher final : public Launcher {
 public:
  explicit FileLauncher(std::filesystem::path file) : file_(std::move(file)) {}

  Result<> publish(std::span<const std::byte> bytes) override {
    std::array<std::byte, entry_bytes> entry{};
    entry[0] = static_cast<std::byte>(bytes.size() & 0xFF);
    entry[1] = static_cast<std::byte>(bytes.size() >> 8);
    std::ranges::copy(bytes, entry.begin() + 2);
    Descriptor opened(open(file_.c_str(), O_WRONLY | O_CLOEXEC));
    const auto written = pwrite(opened.number(), entry.data(), entry.size(), place_of(placement.rank));
    if (written == static_cast<ssize_t>(entry.size()) && opened.close() == 0) return {};
    return refused(fmt::format("{} can't be written", file_.native()), errno);
  }

  Result<std::vector<std::byte>> published(Rank rank) override {
    if (auto entry = read(rank); !entry.empty()) return entry;
    return fail("rank {} has no entry in {} yet", rank, file_.native());
  }

  [[nodiscard]] bool stays() const override { return true; }

 private:
  /// Opened anew each time: a network file system shows what others have written when a file is opened.
  [[nodiscard]] std::vector<std::byte> read(Rank rank) const {
    std::array<std::byte, entry_bytes> entry{};
    const Descriptor opened(open(file_.c_str(), O_RDONLY | O_CLOEXEC));
    if (pread(opened.number(), entry.data(), entry.size(), place_of(rank)) != static_cast<ssize_t>(entry.size()))
      return {};
    const std::size_t size = std::to_integer<std::size_t>(entry[0]) | std::to_integer<std::size_t>(entry[1]) << 8;
    if (size > max_published) return {};
    return {entry.begin() + 2, entry.begin() + 2 + static_cast<std::ptrdiff_t>(size)};
  }

  std::filesystem::path file_;
};

}  // namespace

Result<std::unique_ptr<Launcher>> join_by_file(const std::filesystem::path& file, Placement placement) {
  const auto secret = read_secret(file);
  if (!secret) return Failure(secret.error());
  auto made = std::make_unique<FileLauncher>(file);
  made->placement = std::move(placement);
  set_secret(made->placement, *secret);
  return made;
}

}  // namespace ayatori::launch
