#include "starter_memory.hpp"

#include <cerrno>

namespace ayatori::acp {

using wires::OwnShmFile;

Result<StarterMemory> StarterMemory::make(const std::filesystem::path& folder, Rank first, std::uint32_t own,
                                          std::uint32_t count, Bytes each, Bytes more) {
  StarterMemory starter;
  const Bytes bytes = count * (each + more);
  // Hosts that are containers of one machine may see one folder.
  const auto link = folder / fmt::format("starter-{}", first);
  while (starter.all_.empty()) {
    auto opened = count > 1 ? open_shared_memory(link) : Result<SharedMemory>(with_code(fail("private"), ENOENT));
    if (opened) {
      starter.opened_ = std::move(*opened);
      starter.all_ = starter.opened_.bytes();
      break;
    }
    if (opened.error().code != ENOENT) return Failure(opened.error());
    auto made = OwnShmFile::make(link, bytes);
    if (!made) return Failure(made.error());
    const auto published = count > 1 ? made->publish() : Result<>{};
    if (!published && published.error().code == EADDRINUSE) continue;  // another process was faster
    if (!published) return Failure(published.error());
    starter.made_.emplace(std::move(*made));
    starter.all_ = starter.made_->bytes();
  }
  if (starter.all_.size() < bytes) return fail("the processes of a host have different ACP_STARTER_BYTES");
  starter.own_ = starter.all_.subspan(own * each, each);
  starter.more_ = starter.all_.subspan(count * each, count * more);
  starter.all_ = starter.all_.first(count * each);
  return starter;
}

void StarterMemory::forget_name() {
  if (made_) made_->withdraw();
}

void StarterMemory::disown() {
  if (made_) made_->disown();
}

}  // namespace ayatori::acp
