#pragma once
/// \file
/// Objects of libibverbs, destroyed by whoever owns them.

#include <infiniband/verbs.h>

#include <memory>

namespace ayatori::wires {

struct DestroyVerbsObject {
  void operator()(ibv_context* object) const { ibv_close_device(object); }
  void operator()(ibv_pd* object) const { ibv_dealloc_pd(object); }
  void operator()(ibv_mr* object) const { ibv_dereg_mr(object); }
  void operator()(ibv_comp_channel* object) const { ibv_destroy_comp_channel(object); }
  void operator()(ibv_cq* object) const { ibv_destroy_cq(object); }
  void operator()(ibv_qp* object) const { ibv_destroy_qp(object); }
  void operator()(ibv_ah* object) const { ibv_destroy_ah(object); }
};
template <typename Object>
using VerbsObject = std::unique_ptr<Object, DestroyVerbsObject>;

}  // namespace ayatori::wires
