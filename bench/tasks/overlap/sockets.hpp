#pragma once
/// \file
/// The least that an exchange over TCP takes of the cores: each of two ranks sends its vector and receives the other's
/// by a thread that sleeps in the kernel whenever it can't go on, and adds the two. No MPI moves anything. What it does
/// not hide, no library over the same TCP hides where the computation has the core.

#include <arpa/inet.h>
#include <fcntl.h>
#include <mpi.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <thread>
#include <vector>

#include "communication.hpp"

namespace ayatori::bench {

class SocketCommunication final : public Communication {
 public:
  /// Collective over two ranks. Ends the job where they can't be connected.
  SocketCommunication(std::size_t bytes, int rank, int ranks)
      : Communication(rank, ranks), sent_(bytes / sizeof(double)), received_(sent_.size()) {
    if (ranks != 2) end_job("the exchange by sockets is one of two ranks");
    socket_ = rank == 0 ? accepted() : connected();
    fcntl(socket_, F_SETFL, fcntl(socket_, F_GETFL) | O_NONBLOCK);
  }
  ~SocketCommunication() override { close(socket_); }

  void prepare(int turn) override {
    turn_ = turn;
    for (std::size_t i = 0; i < sent_.size(); ++i) sent_[i] = value(turn, rank(), i);
  }
  void begin() override {
    thread_ = std::thread([this] { exchange(); });
  }
  void test() override {}
  void wait() override { thread_.join(); }
  void blocking() override { exchange(); }

  [[nodiscard]] bool is_right() const override {
    for (std::size_t i = 0; i < received_.size(); ++i) {
      if (received_[i] != value(turn_, 0, i) + value(turn_, 1, i)) return false;
    }
    return true;
  }

 private:
  [[noreturn]] static void end_job(const char* what) {
    std::perror(what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::exit(1);
  }

  /// Rank 0 tells its address and port.
  static int accepted() {
    char name[MPI_MAX_PROCESSOR_NAME] = {};
    gethostname(name, sizeof name - 1);
    const hostent* host = gethostbyname(name);
    if (host == nullptr || host->h_addrtype != AF_INET) end_job("the host's own name has no IPv4 address");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    std::copy_n(host->h_addr_list[0], sizeof address.sin_addr, reinterpret_cast<char*>(&address.sin_addr));
    const int listening = socket(AF_INET, SOCK_STREAM, 0);
    socklen_t length = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    if (bind(listening, plain, length) != 0 || listen(listening, 1) != 0) end_job("listening");
    getsockname(listening, plain, &length);
    MPI_Send(&address, sizeof address, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    const int found = accept(listening, nullptr, nullptr);
    if (found < 0) end_job("accept");
    close(listening);
    return found;
  }

  static int connected() {
    sockaddr_in address{};
    MPI_Recv(&address, sizeof address, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(made, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) end_job("connect");
    return made;
  }

  void exchange() {
    const std::size_t bytes = sent_.size() * sizeof(double);
    const auto* const out = reinterpret_cast<const char*>(sent_.data());
    auto* const in = reinterpret_cast<char*>(received_.data());
    std::size_t sent = 0;
    std::size_t received = 0;
    while (sent < bytes || received < bytes) {
      if (sent < bytes) sent += moved(send(socket_, out + sent, bytes - sent, MSG_NOSIGNAL));
      if (received < bytes) received += moved(recv(socket_, in + received, bytes - received, 0));
      const int events = (sent < bytes ? POLLOUT : 0) | (received < bytes ? POLLIN : 0);
      pollfd waits{socket_, static_cast<short>(events), 0};
      if (events != 0) poll(&waits, 1, -1);
    }
    for (std::size_t i = 0; i < received_.size(); ++i) received_[i] += sent_[i];
  }

  static std::size_t moved(ssize_t bytes) {
    if (bytes > 0) return static_cast<std::size_t>(bytes);
    if (bytes == 0 || (errno != EAGAIN && errno != EINTR)) end_job("the connection");
    return 0;
  }

  std::vector<double> sent_;
  std::vector<double> received_;
  std::thread thread_;
  int socket_ = -1;
  int turn_ = 0;
};

}  // namespace ayatori::bench
