// libfabric's reliable datagrams over UDP (udp;ofi_rxd) on the loopback.

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <sched.h>

#include <cstring>

#include "incast.hpp"

namespace {

using namespace ayatori::incast;

constexpr std::size_t receives_posted = 256;

void need(ssize_t status, const char* what) {
  if (status < 0) give_up(std::string(what) + ": " + fi_strerror(static_cast<int>(-status)));
}

/// An endpoint with its completion queue and address table.
class OfiEndpoint {
 public:
  OfiEndpoint() {
    fi_info* hints = fi_allocinfo();
    hints->ep_attr->type = FI_EP_RDM;
    hints->caps = FI_MSG;
    hints->mode = FI_CONTEXT;
    hints->fabric_attr->prov_name = strdup("udp;ofi_rxd");
    fi_info* info = nullptr;
    need(fi_getinfo(FI_VERSION(1, 17), "127.0.0.1", nullptr, FI_SOURCE, hints, &info), "udp;ofi_rxd");
    fi_freeinfo(hints);
    fid_fabric* fabric = nullptr;
    fid_domain* domain = nullptr;
    need(fi_fabric(info->fabric_attr, &fabric, nullptr), "fi_fabric");
    need(fi_domain(fabric, info, &domain, nullptr), "fi_domain");
    fi_cq_attr completions{};
    completions.format = FI_CQ_FORMAT_MSG;
    completions.size = 1024;
    need(fi_cq_open(domain, &completions, &completions_, nullptr), "fi_cq_open");
    fi_av_attr table{};
    table.type = FI_AV_TABLE;
    need(fi_av_open(domain, &table, &addresses_, nullptr), "fi_av_open");
    need(fi_endpoint(domain, info, &endpoint_, nullptr), "fi_endpoint");
    need(fi_ep_bind(endpoint_, &completions_->fid, FI_SEND | FI_RECV), "fi_ep_bind");
    need(fi_ep_bind(endpoint_, &addresses_->fid, 0), "fi_ep_bind");
    need(fi_enable(endpoint_), "fi_enable");
    fi_freeinfo(info);
  }

 protected:
  /// Calls `handle` for each completion; yields the core to other processes if there is none.
  template <typename Handle>
  void step(Handle handle) {
    std::array<fi_cq_msg_entry, 64> entries{};
    const ssize_t got = fi_cq_read(completions_, entries.data(), entries.size());
    if (got == -FI_EAGAIN)
      sched_yield();
    else
      need(got, "fi_cq_read");
    for (ssize_t i = 0; i < got; ++i) handle(entries[static_cast<std::size_t>(i)]);
  }

  fid_cq* completions_ = nullptr;
  fid_av* addresses_ = nullptr;
  fid_ep* endpoint_ = nullptr;
};

class OfiReceiver final : public Receiver, OfiEndpoint {
 public:
  OfiReceiver(const Settings& settings, SharedState& shared, Inbox& inbox) : inbox_(inbox), posts_(receives_posted) {
    for (Post& post : posts_) {
      post.bytes.resize(settings.bytes);
      receive(post);
    }
    std::array<std::byte, 256> address{};
    std::size_t size = address.size();
    need(fi_getname(&endpoint_->fid, address.data(), &size), "fi_getname");
    publish(shared, std::span(address).first(size));
  }

  void progress() override {
    step([&](const fi_cq_msg_entry& entry) {
      auto& post = *reinterpret_cast<Post*>(entry.op_context);
      inbox_.take(std::span(post.bytes).first(entry.len));
      receive(post);
    });
  }

 private:
  struct Post {
    fi_context context{};
    std::vector<std::byte> bytes;
  };

  void receive(Post& post) {
    need(fi_recv(endpoint_, post.bytes.data(), post.bytes.size(), nullptr, FI_ADDR_UNSPEC, &post), "fi_recv");
  }

  Inbox& inbox_;
  std::vector<Post> posts_;
};

class OfiSender final : public Sender, OfiEndpoint {
 public:
  OfiSender(SharedState& shared, Outbox& outbox) : outbox_(outbox) {
    if (fi_av_insert(addresses_, await_address(shared).data(), 1, &receiver_, 0, nullptr) != 1) give_up("fi_av_insert");
  }

  bool send(const Message& message) override {
    contexts_[message.buffer].buffer = message.buffer;
    const ssize_t status =
        fi_send(endpoint_, message.bytes.data(), message.bytes.size(), nullptr, receiver_, &contexts_[message.buffer]);
    if (status == -FI_EAGAIN) return false;
    need(status, "fi_send");
    return true;
  }
  void progress() override {
    step([&](const fi_cq_msg_entry& entry) { outbox_.done(reinterpret_cast<Context*>(entry.op_context)->buffer); });
  }

 private:
  struct Context {
    fi_context context{};
    std::uint32_t buffer = 0;
  };

  Outbox& outbox_;
  fi_addr_t receiver_ = FI_ADDR_UNSPEC;
  std::array<Context, max_under_way> contexts_{};
};

}  // namespace

int main(int argc, char** argv) {
  return run(argc, argv,
             {.receiver = [](const Settings& settings, SharedState& shared,
                             Inbox& inbox) { return std::make_unique<OfiReceiver>(settings, shared, inbox); },
              .sender = [](const Settings&, SharedState& shared, Outbox& outbox,
                           std::uint32_t) { return std::make_unique<OfiSender>(shared, outbox); }});
}
