#include "ayatori/base/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

namespace ayatori {

namespace {

Failure refused(std::string_view verb, const std::filesystem::path& path, int error) {
  return with_code(fail("can't {} {}: {}", verb, path.string(), std::strerror(error)), error);
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  [[nodiscard]] int get() const { return fd_; }
  int close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

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

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return refused("read", path, errno);
  struct stat status{};
  if (::fstat(file.get(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return with_code(fail("can't read {}: it is a folder", path.string()), EISDIR);
  }
  // One byte more than the size, so that the read that fills a regular file also meets its end.
  std::string contents(static_cast<std::size_t>(status.st_size) + 1, '\0');
  std::size_t filled = 0;
  for (;;) {
    if (filled == contents.size()) contents.resize(contents.size() * 2);
    const ssize_t got = ::read(file.get(), contents.data() + filled, contents.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refused("read", path, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  contents.resize(filled);
  return contents;
}

Result<> write_file(const std::filesystem::path& path, const std::function<void(const Sink&)>& produce) {
  std::string temporary = path.string() + ".XXXXXX";
  FileDescriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) return refused("write", path, errno);
  const auto give_up = [&](int error) {
    ::unlink(temporary.c_str());
    return refused("write", path, error);
  };

  BufferedWriter writer(file.get());
  produce([&](std::string_view piece) { writer.write(piece); });
  writer.flush();
  if (writer.error() != 0) return give_up(writer.error());
  if (::fchmod(file.get(), 0644) != 0 || ::fsync(file.get()) != 0 || file.close() != 0) return give_up(errno);
  if (::rename(temporary.c_str(), path.c_str()) != 0) return give_up(errno);
  return {};
}

Result<> write_file(const std::filesystem::path& path, std::string_view contents) {
  return write_file(path, [contents](const Sink& sink) { sink(contents); });
}

}  // namespace ayatori
