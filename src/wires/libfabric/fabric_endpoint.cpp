#include "fabric_endpoint.hpp"

#include <rdma/fi_errno.h>

#include <cstdlib>
#include <cstring>

namespace ayatori::wires {

namespace {

/// The oldest version of the interface that has everything used here.
constexpr std::uint32_t version = FI_VERSION(1, 11);

using Info = std::unique_ptr<fi_info, FreeInfo>;

template <typename Object, typename Open>
Result<> open_into(FabricObject<Object>& object, const std::string& provider, std::string_view call, Open open) {
  Object* opened = nullptr;
  if (const int code = open(&opened); code != 0) return refused_by(provider, call, code);
  object.reset(opened);
  return {};
}

Result<> first_error(std::initializer_list<std::pair<std::string_view, int>> calls, const std::string& provider) {
  for (const auto& [call, code] : calls) {
    if (code != 0) return refused_by(provider, call, code);
  }
  return {};
}

/// Copied by malloc, since libfabric frees it.
sockaddr_in* given_away(const sockaddr_in& address) {
  auto* copy = static_cast<sockaddr_in*>(std::malloc(sizeof address));
  if (copy) *copy = address;
  return copy;
}

Info hints_of(const LibfabricOptions& options) {
  Info hints(fi_allocinfo());
  hints->caps = FI_MSG;
  hints->mode = FI_MSG_PREFIX | FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_DGRAM;
  hints->domain_attr->mr_mode = FI_MR_LOCAL;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->tx_attr->size = options.send_buffers;
  hints->rx_attr->size = options.receive_buffers;
  hints->fabric_attr->prov_name = strdup(options.provider.c_str());
  if (!options.domain.empty()) hints->domain_attr->name = strdup(options.domain.c_str());
  if (!options.resolve) {
    hints->addr_format = FI_SOCKADDR_IN;
    hints->src_addr = given_away(options.addresses.of(options.self));
    hints->src_addrlen = sizeof(sockaddr_in);
  }
  return hints;
}

Result<Info> find_info(const LibfabricOptions& options) {
  fi_info* found = nullptr;
  const int code = fi_getinfo(version, nullptr, nullptr, 0, hints_of(options).get(), &found);
  if (code == 0) return Info(found);
  if (code != -FI_ENODATA) return refused_by(options.provider, "fi_getinfo", code);
  const std::string where = options.domain.empty() ? "" : fmt::format(" on domain '{}'", options.domain);
  const std::string_view how = options.resolve ? "" : " with IPv4 addresses";
  return with_hint(
      with_code(fail("libfabric has no FI_EP_DGRAM endpoint of provider '{}'{}{}, with {} send and {} receive buffers",
                     options.provider, where, how, options.send_buffers, options.receive_buffers),
                -code),
      "fi_info -t FI_EP_DGRAM -v lists those that there are");
}

Result<> open_queues(FabricEndpoint& made, const LibfabricOptions& options) {
  fi_cq_attr sent{};
  sent.size = options.send_buffers;
  sent.format = FI_CQ_FORMAT_CONTEXT;
  sent.wait_obj = FI_WAIT_NONE;
  auto opened = open_into(made.sent, options.provider, "fi_cq_open",
                          [&](fid_cq** queue) { return fi_cq_open(made.domain.get(), &sent, queue, nullptr); });
  if (!opened) return opened;

  fi_cq_attr received{};
  received.size = options.receive_buffers;
  received.format = FI_CQ_FORMAT_MSG;
  received.wait_obj = FI_WAIT_FD;
  const auto open = [&](fid_cq** queue) { return fi_cq_open(made.domain.get(), &received, queue, nullptr); };
  if (open_into(made.received, options.provider, "fi_cq_open", open)) {
    const int code = fi_control(&made.received->fid, FI_GETWAIT, &made.received_descriptor);
    return first_error({{"fi_control(FI_GETWAIT)", code}}, options.provider);
  }
  received.wait_obj = FI_WAIT_NONE;  // then it is polled
  return open_into(made.received, options.provider, "fi_cq_open", open);
}

Result<> open_peers(FabricEndpoint& made, const LibfabricOptions& options) {
  fi_av_attr attributes{};
  attributes.type = FI_AV_UNSPEC;
  attributes.count = options.peers;
  return open_into(made.peers, options.provider, "fi_av_open",
                   [&](fid_av** peers) { return fi_av_open(made.domain.get(), &attributes, peers, nullptr); });
}

Result<> open_endpoint(FabricEndpoint& made, const LibfabricOptions& options) {
  auto opened = open_into(made.endpoint, options.provider, "fi_endpoint", [&](fid_ep** endpoint) {
    return fi_endpoint(made.domain.get(), made.info.get(), endpoint, nullptr);
  });
  if (!opened) return opened;
  fid_ep* const endpoint = made.endpoint.get();
  return first_error({{"fi_ep_bind(address vector)", fi_ep_bind(endpoint, &made.peers->fid, 0)},
                      {"fi_ep_bind(send queue)", fi_ep_bind(endpoint, &made.sent->fid, FI_TRANSMIT)},
                      {"fi_ep_bind(receive queue)", fi_ep_bind(endpoint, &made.received->fid, FI_RECV)},
                      {"fi_enable", fi_enable(endpoint)}},
                     options.provider);
}

}  // namespace

Failure refused_by(const std::string& provider, std::string_view call, std::int64_t code) {
  const int number = static_cast<int>(code < 0 ? -code : code);
  Error error{fmt::format("libfabric's provider {} refused {}", provider, call), fi_strerror(number), {}};
  error.blame = Error::Blame::us;
  error.code = number;
  return Failure(std::move(error));
}

Result<FabricEndpoint> FabricEndpoint::open(const LibfabricOptions& options) {
  auto found = find_info(options);
  if (!found) return Failure(found.error());
  FabricEndpoint made;
  made.info = std::move(*found);
  fi_info& info = *made.info;
  auto opened = open_into(made.fabric, options.provider, "fi_fabric",
                          [&](fid_fabric** fabric) { return fi_fabric(info.fabric_attr, fabric, nullptr); });
  if (opened) {
    opened = open_into(made.domain, options.provider, "fi_domain",
                       [&](fid_domain** domain) { return fi_domain(made.fabric.get(), &info, domain, nullptr); });
  }
  if (opened) opened = open_queues(made, options);
  if (opened) opened = open_peers(made, options);
  if (opened) opened = open_endpoint(made, options);
  if (!opened) return Failure(opened.error());
  return made;
}

Result<FabricObject<fid_mr>> FabricEndpoint::registered(std::span<std::byte> memory) const {
  FabricObject<fid_mr> region;
  if (!(info->domain_attr->mr_mode & FI_MR_LOCAL)) return region;
  auto opened = open_into(region, info->fabric_attr->prov_name, "fi_mr_reg", [&](fid_mr** made) {
    return fi_mr_reg(domain.get(), memory.data(), memory.size(), FI_SEND | FI_RECV, 0, 0, 0, made, nullptr);
  });
  if (!opened) return Failure(opened.error());
  return region;
}

std::size_t FabricEndpoint::prefix_bytes() const {
  return info->mode & FI_MSG_PREFIX ? info->ep_attr->msg_prefix_size : 0;
}

Result<FabricAddress> FabricEndpoint::address() const {
  FabricAddress bytes(256);
  std::size_t size = bytes.size();
  const int code = fi_getname(&endpoint->fid, bytes.data(), &size);
  if (code != 0) return refused_by(info->fabric_attr->prov_name, "fi_getname", code);
  bytes.resize(size);
  return bytes;
}

}  // namespace ayatori::wires
