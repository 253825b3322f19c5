#pragma once
/// \file
/// A topology in tests: opened or the test fails, and destroyed at the end.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "nwtopo.h"

class Opened {
 public:
  explicit Opened(const std::string& source, unsigned long flags = 0, const char* faults = nullptr) : Opened(flags) {
    EXPECT_EQ(nwtopo_topology_set_source(handle_, source.c_str()), 0);
    EXPECT_EQ(nwtopo_topology_set_faults(handle_, faults), 0);
    EXPECT_EQ(nwtopo_topology_load(handle_), 0) << nwtopo_error_message();
  }

  /// Some machines of another.
  Opened(const Opened& base, std::vector<nwtopo_obj_t> machines, unsigned long flags = 0) : Opened(flags) {
    EXPECT_EQ(nwtopo_topology_shrink(handle_, base, static_cast<unsigned>(machines.size()), machines.data()), 0)
        << nwtopo_error_message();
  }

  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() { destroy(); }

  operator nwtopo_topology_t() const { return handle_; }  // NOLINT: stands for its handle

  void destroy() {
    nwtopo_topology_destroy(handle_);
    handle_ = nullptr;
  }

  [[nodiscard]] nwtopo_memory memory() const {
    nwtopo_memory memory{};
    EXPECT_EQ(nwtopo_topology_get_memory(handle_, &memory), 0);
    return memory;
  }

  [[nodiscard]] std::vector<nwtopo_obj_t> machines() const {
    std::vector<nwtopo_obj_t> found(nwtopo_topology_get_num_objects(handle_, 0));
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = nwtopo_topology_get_object(handle_, 0, i);
    return found;
  }

 private:
  explicit Opened(unsigned long flags) {
    EXPECT_EQ(nwtopo_topology_init(&handle_), 0);
    EXPECT_EQ(nwtopo_topology_set_flags(handle_, flags), 0);
  }

  nwtopo_topology_t handle_ = nullptr;
};
