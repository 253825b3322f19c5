#include "info.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "domain.hpp"
#include "loader.hpp"
#include "pieces.hpp"
#include "provider.hpp"

namespace ayatori::fabric {

namespace {

constexpr std::uint64_t kinds = FI_MSG | FI_TAGGED | FI_RMA | FI_ATOMIC;
constexpr std::uint64_t transmit_directions = FI_SEND | FI_READ | FI_WRITE;
constexpr std::uint64_t receive_directions = FI_RECV | FI_REMOTE_READ | FI_REMOTE_WRITE;
constexpr std::uint64_t reaches = FI_LOCAL_COMM | FI_REMOTE_COMM;
constexpr std::uint64_t transmit_caps = kinds | transmit_directions;
constexpr std::uint64_t receive_caps = kinds | receive_directions | FI_DIRECTED_RECV | FI_SOURCE | FI_MULTI_RECV;
constexpr std::uint64_t all_caps = transmit_caps | receive_caps | reaches;
constexpr std::uint64_t transmit_op_flags =
    FI_COMPLETION | FI_INJECT | FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | FI_DELIVERY_COMPLETE;
constexpr std::uint64_t receive_op_flags = FI_COMPLETION | FI_MULTI_RECV;
constexpr std::uint64_t all_orders = FI_ORDER_SAS | access_order;
constexpr std::uint32_t our_protocol = of_a_provider | 0x61;
constexpr std::size_t queue_size = 4096;
constexpr std::size_t many = 1 << 16;

bool within(std::uint64_t wanted, std::uint64_t offered) { return (wanted & ~offered) == 0; }

bool offers(const fi_tx_attr& wanted) {
  return within(wanted.caps, transmit_caps | reaches) && within(wanted.op_flags, transmit_op_flags) &&
         within(wanted.msg_order, all_orders) && wanted.comp_order == 0 && wanted.inject_size <= max_short_message &&
         wanted.size <= queue_size && wanted.iov_limit <= max_pieces && wanted.rma_iov_limit <= 1;
}

bool offers(const fi_rx_attr& wanted) {
  return within(wanted.caps, receive_caps | reaches) && within(wanted.op_flags, receive_op_flags) &&
         within(wanted.msg_order, all_orders) && wanted.comp_order == 0 && wanted.size <= many &&
         wanted.iov_limit <= max_pieces;
}

bool offers(const fi_ep_attr& wanted) {
  return (wanted.type == FI_EP_UNSPEC || wanted.type == FI_EP_RDM) &&
         (wanted.protocol == FI_PROTO_UNSPEC || wanted.protocol == our_protocol) &&
         std::max({wanted.max_msg_size, wanted.max_order_raw_size, wanted.max_order_war_size,
                   wanted.max_order_waw_size}) <= max_message &&
         wanted.tx_ctx_cnt <= 1 && wanted.rx_ctx_cnt <= 1 && wanted.auth_key_size == 0 && wanted.msg_prefix_size == 0;
}

bool offers(const fi_domain_attr& wanted) {
  return wanted.mr_key_size <= sizeof(std::uint64_t) && wanted.cq_data_size <= sizeof(std::uint64_t) &&
         wanted.max_ep_tx_ctx <= 1 && wanted.max_ep_rx_ctx <= 1 && wanted.max_ep_stx_ctx == 0 &&
         wanted.max_ep_srx_ctx == 0 && wanted.mr_iov_limit <= 1 && wanted.auth_key_size == 0 &&
         within(wanted.caps, reaches) && (!wanted.name || std::strcmp(wanted.name, provider().name) == 0);
}

/// A process is called what its job says, so that a program can't choose a name.
bool leaves_name_open(const fi_info& wanted) {
  if (!wanted.src_addr) return true;
  return wanted.src_addrlen == sizeof(EndpointName) &&
         std::memcmp(wanted.src_addr, &still_without_name, sizeof(EndpointName)) == 0;
}

bool offers(const fi_info& wanted) {
  return within(wanted.caps, all_caps) &&
         (wanted.addr_format == FI_FORMAT_UNSPEC || wanted.addr_format == address_format) && leaves_name_open(wanted) &&
         (!wanted.dest_addr || wanted.dest_addrlen == sizeof(EndpointName)) &&
         (!wanted.tx_attr || offers(*wanted.tx_attr)) && (!wanted.rx_attr || offers(*wanted.rx_attr)) &&
         (!wanted.ep_attr || offers(*wanted.ep_attr)) && (!wanted.domain_attr || offers(*wanted.domain_attr)) &&
         (!wanted.fabric_attr || !wanted.fabric_attr->name ||
          std::strcmp(wanted.fabric_attr->name, provider().name) == 0);
}

/// What was asked for, with both directions of what has two, if neither was named.
std::uint64_t caps_for(std::uint64_t wanted) {
  if (wanted == 0) return all_caps;
  std::uint64_t caps = wanted | reaches;
  if ((wanted & (FI_MSG | FI_TAGGED)) != 0 && (wanted & (FI_SEND | FI_RECV)) == 0) caps |= FI_SEND | FI_RECV;
  const std::uint64_t accesses = FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
  if ((wanted & (FI_RMA | FI_ATOMIC)) != 0 && (wanted & accesses) == 0) caps |= accesses;
  return caps;
}

/// None of the modes is needed. The two of old programs are followed; before version 1.5 there were only these, and a
/// program could leave the choice to us.
int mode_of_memory(std::uint32_t version, const fi_domain_attr* wanted) {
  const int mode = wanted ? wanted->mr_mode : 0;
  if (mode == mr_basic || mode == mr_scalable) return mode;
  return FI_VERSION_LT(version, FI_VERSION(1, 5)) ? mr_scalable : 0;
}

void set_domain(fi_domain_attr& domain, const fi_info* hints, std::uint32_t version) {
  const fi_domain_attr* const wanted = hints ? hints->domain_attr : nullptr;
  domain.name = strdup(provider().name);
  // Of programs that need less, some compare.
  domain.threading = wanted && wanted->threading != FI_THREAD_UNSPEC ? wanted->threading : FI_THREAD_SAFE;
  const auto asks_for = [&](fi_progress progress) {
    return wanted && (wanted->control_progress == progress || wanted->data_progress == progress);
  };
  // MPI programs expect that what they have sent arrives while they compute.
  const bool by_calls = asks_for(FI_PROGRESS_MANUAL) && !asks_for(FI_PROGRESS_AUTO);
  domain.control_progress = domain.data_progress = by_calls ? FI_PROGRESS_MANUAL : FI_PROGRESS_AUTO;
  domain.resource_mgmt = FI_RM_ENABLED;
  domain.av_type = wanted ? wanted->av_type : FI_AV_UNSPEC;
  domain.mr_mode = mode_of_memory(version, wanted);
  domain.mr_key_size = sizeof(std::uint64_t);
  domain.cq_data_size = sizeof(std::uint64_t);
  domain.cq_cnt = many;
  domain.ep_cnt = no_endpoint;
  domain.tx_ctx_cnt = no_endpoint;
  domain.rx_ctx_cnt = no_endpoint;
  domain.max_ep_tx_ctx = 1;
  domain.max_ep_rx_ctx = 1;
  domain.cntr_cnt = many;
  domain.mr_iov_limit = 1;
  domain.mr_cnt = many;
  domain.caps = reaches;
}

/// Calls of the program that takes no flags have those that it asked for.
void set_attributes(fi_info& info, const fi_info* hints) {
  info.tx_attr->caps = info.caps & transmit_caps;
  info.tx_attr->op_flags = hints && hints->tx_attr ? hints->tx_attr->op_flags : 0;
  // Without hints, what could be asked for. It costs time, so that only who asks for it gets it.
  std::uint64_t asked = hints && hints->tx_attr ? hints->tx_attr->msg_order : 0;
  if (hints && hints->rx_attr) asked |= hints->rx_attr->msg_order;
  const bool orders_accesses = !hints || (asked & access_order) != 0;
  info.tx_attr->msg_order = orders_accesses ? all_orders : FI_ORDER_SAS;
  info.tx_attr->inject_size = max_short_message;
  info.tx_attr->size = queue_size;
  info.tx_attr->iov_limit = max_pieces;
  info.tx_attr->rma_iov_limit = 1;
  info.rx_attr->caps = info.caps & receive_caps;
  info.rx_attr->op_flags = hints && hints->rx_attr ? hints->rx_attr->op_flags : 0;
  info.rx_attr->msg_order = info.tx_attr->msg_order;
  info.rx_attr->total_buffered_recv = 0;
  info.rx_attr->size = many;
  info.rx_attr->iov_limit = max_pieces;
  info.ep_attr->type = FI_EP_RDM;
  info.ep_attr->protocol = our_protocol;
  info.ep_attr->protocol_version = 1;
  info.ep_attr->max_msg_size = max_message;
  const std::size_t in_order = orders_accesses ? max_message : 0;
  info.ep_attr->max_order_raw_size = info.ep_attr->max_order_war_size = info.ep_attr->max_order_waw_size = in_order;
  info.ep_attr->mem_tag_format = ~std::uint64_t{0};
  info.ep_attr->tx_ctx_cnt = 1;
  info.ep_attr->rx_ctx_cnt = 1;
}

void set_name(void*& place, std::size_t& size, const void* name) {
  place = std::malloc(sizeof(EndpointName));  // NOLINT: fi_freeinfo frees it
  if (place) std::memcpy(place, name, size = sizeof(EndpointName));
}

}  // namespace

int get_info(std::uint32_t version, const char* node, const char* service, std::uint64_t flags, const fi_info* hints,
             fi_info** found) {
  // There is nobody outside of the job, so that a name of a host reaches nobody.
  const bool names_a_peer = (node || service) && (flags & FI_SOURCE) == 0;
  if (names_a_peer || (hints && !offers(*hints))) return -FI_ENODATA;
  fi_info* const info = loader().new_info();
  if (!info) return -FI_ENOMEM;
  info->caps = caps_for(hints ? hints->caps : 0);
  info->addr_format = address_format;
  set_attributes(*info, hints);
  set_domain(*info->domain_attr, hints, version);
  info->fabric_attr->name = strdup(provider().name);
  set_name(info->src_addr, info->src_addrlen, &still_without_name);
  if (hints && hints->dest_addr) set_name(info->dest_addr, info->dest_addrlen, hints->dest_addr);
  *found = info;
  return 0;
}

}  // namespace ayatori::fabric
