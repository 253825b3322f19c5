#include "ayatori/base/files.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "ayatori/base/descriptor.hpp"

namespace ayatori {

namespace {

Failure cannot(std::string_view verb, const std::filesystem::path& path, int error) {
  return with_code(fail("can't {} {}: {}", verb, path.string(), std::strerror(error)), error);
}

/// Collects small pieces, so that writing line by line does not take a system call per line.
class BufferedWriter {
 public:
  explicit BufferedWriter(int fd) : fd_(fd) { buffer_.reserve(capacity); }

  void write(std::string_view piece) {
    if (buffer_.size() + piece.size() > capacity) flush();
    if (piece.size() > capacity) {
      write_through(piece);
    } else {
      buffer_.append(piece);
    }
  }

  void flush() {
    write_through(buffer_);
    buffer_.clear();
  }

  [[nodiscard]] int error() const { return error_; }

 private:
  static constexpr std::size_t capacity = std::size_t{1} << 18;

  void write_through(std::string_view piece) {
    while (!piece.empty() && error_ == 0) {
      const ssize_t written = ::write(fd_, piece.data(), piece.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        error_ = errno;
      } else {
        piece.remove_prefix(static_cast<std::size_t>(written));
      }
    }
  }

  int fd_;
  int error_ = 0;
  std::string buffer_;
};

/// Devices such as /dev/zero have no end, and a terminal waits for the user.
Result<struct stat> check_is_readable(int file, const std::filesystem::path& path) {
  struct stat status{};
  if (::fstat(file, &status) != 0) return cannot("read", path, errno);
  if (S_ISDIR(status.st_mode)) return with_code(fail("can't read {}: it is a folder", path.string()), EISDIR);
  if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode)) return status;
  return with_code(fail("can't read {}: it is neither a regular file nor a pipe", path.string()), EINVAL);
}

Failure too_large(const std::filesystem::path& path, std::uint64_t max_bytes) {
  return with_code(fail("can't read {}: it has more than {} GiB", path.string(), max_bytes >> 30U), EFBIG);
}

void wait_for_input(int file, int timeout_ms) {
  pollfd input{file, POLLIN, 0};
  static_cast<void>(::poll(&input, 1, timeout_ms));  // whoever reads next sees an interruption, too
}

/// Reads a pipe that was opened with O_NONBLOCK: so a pipe that nobody has opened for writing is seen as empty, and one
/// whose writer has no data yet as EAGAIN.
Result<std::string> read_pipe(int pipe, const std::filesystem::path& path) {
  constexpr int wait_ms = 100;
  int waits_for_writer = 20;
  std::string contents;
  std::array<char, std::size_t{1} << 16> piece;
  for (;;) {
    const ssize_t got = ::read(pipe, piece.data(), piece.size());
    if (got > 0) {
      contents.append(piece.data(), static_cast<std::size_t>(got));
      if (contents.size() > max_pipe_bytes) return too_large(path, max_pipe_bytes);
    } else if (got < 0 && errno == EAGAIN) {
      wait_for_input(pipe, -1);
    } else if (got < 0 && errno != EINTR) {
      return cannot("read", path, errno);
    } else if (got == 0 && !contents.empty()) {
      return contents;
    } else if (got == 0 && waits_for_writer-- == 0) {
      return with_code(fail("can't read {}: it is a pipe that nobody writes to", path.string()), ENODATA);
    } else if (got == 0) {
      wait_for_input(pipe, wait_ms);
    }
  }
}

Result<std::string> read_bytes(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return cannot("read", path, errno);
  const auto status = check_is_readable(file.number(), path);
  if (!status) return Failure(status.error());
  if (S_ISFIFO(status->st_mode)) return read_pipe(file.number(), path);
  if (static_cast<std::uint64_t>(status->st_size) > max_file_bytes) return too_large(path, max_file_bytes);
  // One byte more than the size, so that the read that fills a regular file also reaches its end.
  std::string contents(static_cast<std::size_t>(status->st_size) + 1, '\0');
  std::size_t filled = 0;
  for (;;) {
    if (filled == contents.size()) contents.resize(contents.size() * 2);
    const ssize_t got = ::read(file.number(), contents.data() + filled, contents.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot("read", path, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  contents.resize(filled);
  return contents;
}

/// Editors of Windows begin a file with a mark that says how its text is encoded.
Result<std::string> as_utf8(std::string contents, const std::filesystem::path& path) {
  if (contents.starts_with("\xEF\xBB\xBF")) contents.erase(0, 3);
  if (!contents.starts_with("\xFF\xFE") && !contents.starts_with("\xFE\xFF")) return contents;
  auto failure = with_code(fail("can't read {}: its text is in UTF-16, not in UTF-8", path.string()), EILSEQ);
  return with_hint(std::move(failure), fmt::format("iconv -f UTF-16 -t UTF-8 {} > NEWFILE", path.string()));
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  auto contents = read_bytes(path);
  if (!contents) return contents;
  return as_utf8(std::move(*contents), path);
}

namespace {

/// The file that a path leads to through symbolic links, whether it exists or not. An error if something is there that
/// is not a regular file: root would replace a device by renaming a file over it.
Result<std::filesystem::path> regular_target(const std::filesystem::path& path) {
  std::error_code code;
  const std::filesystem::file_type type = std::filesystem::status(path, code).type();
  if (type == std::filesystem::file_type::directory) return cannot("write", path, EISDIR);
  if (type != std::filesystem::file_type::regular && type != std::filesystem::file_type::not_found) {
    return with_code(fail("can't write {}: it is not a regular file", path.string()), EINVAL);
  }
  // Link by link: canonical() needs a file at the end.
  constexpr int max_links = 40;  // as the kernel
  std::filesystem::path target = path;
  for (int links = 0; std::filesystem::is_symlink(target, code); ++links) {
    if (links == max_links) return cannot("write", path, ELOOP);
    const std::filesystem::path next = std::filesystem::read_symlink(target, code);
    if (code) return cannot("write", path, code.value());
    target = target.parent_path() / next;
  }
  return target;
}

/// A new file next to `path`, with the permissions of the file that it will replace, else those that the kernel leaves
/// by the umask, or by the folder's own rule. Its name is in `temporary`.
int make_temporary_next_to(const std::filesystem::path& path, std::string& temporary) {
  static std::atomic<unsigned> made = 0;
  struct stat replaced{};
  const bool replaces = ::stat(path.c_str(), &replaced) == 0;
  const mode_t mode = replaces ? replaced.st_mode & 0777U : 0666U;
  int file = -1;
  do {  // a process of this number, here or on another machine, may have left such a file
    temporary = fmt::format("{}.{}-{}", path.string(), ::getpid(), made++);
    file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (file < 0 && errno == EEXIST);
  if (file >= 0 && replaces) static_cast<void>(::fchmod(file, mode));  // what the umask took away
  return file;
}

}  // namespace

Result<> write_file(const std::filesystem::path& named, const std::function<void(const Sink&)>& produce) {
  const auto target = regular_target(named);
  if (!target) return std::unexpected(target.error());
  const std::filesystem::path& path = *target;
  std::string temporary;
  Descriptor file(make_temporary_next_to(path, temporary));
  if (!file.is_open()) return cannot("write", path, errno);
  const auto give_up = [&](int error) {
    ::unlink(temporary.c_str());
    return cannot("write", path, error);
  };

  BufferedWriter writer(file.number());
  produce([&](std::string_view piece) { writer.write(piece); });
  writer.flush();
  if (writer.error() != 0) return give_up(writer.error());
  if (::fsync(file.number()) != 0 || file.close() != 0) return give_up(errno);
  if (::rename(temporary.c_str(), path.c_str()) != 0) return give_up(errno);
  return {};
}

Result<> write_file(const std::filesystem::path& path, std::string_view contents) {
  return write_file(path, [contents](const Sink& sink) { sink(contents); });
}

}  // namespace ayatori
