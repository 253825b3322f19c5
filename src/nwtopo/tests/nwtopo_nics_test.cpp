// Which NIC a link is on: rails, device names, GUIDs, and the path from one NIC to another.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "opened.hpp"

namespace {

/// Two hosts with two adapters each, on a leaf switch for each rail; a spine joins the leaves.
constexpr const char* two_rails = R"(
Switch	4 "S-0000000000000100"		# "leaf-0" base port 0 lid 1 lmc 0
[1]	"H-1070fd0300000100"[1](1070fd0300000101) 		# "gpu-0 mlx5_0" lid 11 4xHDR
[2]	"H-1070fd0300000200"[1](1070fd0300000201) 		# "gpu-1 mlx5_0" lid 12 4xHDR
[4]	"S-0000000000000102"[1]		# "spine" lid 3 4xHDR

Switch	4 "S-0000000000000101"		# "leaf-1" base port 0 lid 2 lmc 0
[1]	"H-1070fd0300000110"[1](1070fd0300000111) 		# "gpu-0 mlx5_1" lid 13 4xHDR
[2]	"H-1070fd0300000210"[1](1070fd0300000211) 		# "gpu-1 mlx5_1" lid 14 4xHDR
[4]	"S-0000000000000102"[2]		# "spine" lid 3 4xHDR

Switch	4 "S-0000000000000102"		# "spine" base port 0 lid 3 lmc 0
[1]	"S-0000000000000100"[4]		# "leaf-0" lid 1 4xHDR
[2]	"S-0000000000000101"[4]		# "leaf-1" lid 2 4xHDR

Ca	1 "H-1070fd0300000100"		# "gpu-0 mlx5_0"
[1](1070fd0300000101) 	"S-0000000000000100"[1]		# lid 11 lmc 0 "leaf-0" lid 1 4xHDR

Ca	1 "H-1070fd0300000110"		# "gpu-0 mlx5_1"
[1](1070fd0300000111) 	"S-0000000000000101"[1]		# lid 13 lmc 0 "leaf-1" lid 2 4xHDR

Ca	1 "H-1070fd0300000200"		# "gpu-1 mlx5_0"
[1](1070fd0300000201) 	"S-0000000000000100"[2]		# lid 12 lmc 0 "leaf-0" lid 1 4xHDR

Ca	1 "H-1070fd0300000210"		# "gpu-1 mlx5_1"
[1](1070fd0300000211) 	"S-0000000000000101"[2]		# lid 14 lmc 0 "leaf-1" lid 2 4xHDR
)";

class NicsTest : public testing::Test {
 protected:
  NicsTest() : path_(std::filesystem::temp_directory_path() / ("nwtopo-nics-test-" + std::to_string(::getpid()))) {
    std::ofstream(path_) << two_rails;
  }
  ~NicsTest() override { std::filesystem::remove(path_); }

  [[nodiscard]] std::string source() const { return "ib:" + path_.string(); }

  static nwtopo_obj_t named(nwtopo_topology_t topology, const char* name) {
    nwtopo_obj_t const found = nwtopo_topology_get_object_by_name(topology, name);
    EXPECT_NE(found, nullptr) << nwtopo_error_message();
    return found;
  }

 private:
  std::filesystem::path path_;
};

TEST_F(NicsTest, NwtopoObjGetLinkTellsTheNicAtBothEnds) {
  const Opened topology(source());
  nwtopo_obj_t const host = named(topology, "gpu-1");
  ASSERT_EQ(nwtopo_obj_get_num_links(topology, host), 2);
  for (unsigned rail = 0; rail < 2; ++rail) {
    nwtopo_link up{};
    ASSERT_EQ(nwtopo_obj_get_link(topology, host, rail, &up), 0);
    EXPECT_EQ(up.from_nic, rail);
    EXPECT_EQ(up.to_nic, NWTOPO_NO_NIC);
    EXPECT_EQ(up.rail, rail);
    EXPECT_STREQ(up.from_device, rail == 0 ? "mlx5_0" : "mlx5_1");
    EXPECT_EQ(up.to_device, nullptr);
    EXPECT_EQ(up.from_guid, 0x1070fd0300000200U + 0x10 * rail);
    EXPECT_EQ(up.to_guid, 0x100U + rail);
    nwtopo_link down{};
    ASSERT_EQ(nwtopo_obj_get_link(topology, up.to, 1, &down), 0);
    EXPECT_EQ(down.to, host);
    EXPECT_EQ(down.to_nic, rail);
    EXPECT_EQ(down.rail, rail);
    EXPECT_STREQ(down.to_device, up.from_device);
    EXPECT_EQ(down.to_guid, up.from_guid);
  }
}

TEST_F(NicsTest, NwtopoTopologyGetNicByGuidFindsTheNic) {
  const Opened topology(source());
  nwtopo_nic nic{};
  ASSERT_EQ(nwtopo_topology_get_nic_by_guid(topology, 0x1070fd0300000110, &nic), 0) << nwtopo_error_message();
  EXPECT_EQ(nic.machine, named(topology, "gpu-0"));
  EXPECT_EQ(nic.index, 1U);
  EXPECT_EQ(nic.rail, 1U);
  EXPECT_EQ(nic.num_links, 1U);
  EXPECT_STREQ(nic.device, "mlx5_1");
  EXPECT_EQ(nwtopo_topology_get_object_by_guid(topology, 0x102), named(topology, "spine"));
  EXPECT_EQ(nwtopo_topology_get_object_by_guid(topology, 0x1070fd0300000110), named(topology, "gpu-0"));
  EXPECT_EQ(nwtopo_topology_get_nic_by_guid(topology, 0x102, &nic), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(nwtopo_topology_get_nic_by_guid(topology, 0, &nic), -1);
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(NicsTest, NwtopoGetNicHopsAndNearestNicGoFromNicToNic) {
  const Opened topology(source());
  nwtopo_obj_t const here = named(topology, "gpu-0");
  nwtopo_obj_t const there = named(topology, "gpu-1");
  for (unsigned local = 0; local < 2; ++local) {
    for (unsigned remote = 0; remote < 2; ++remote) {
      EXPECT_EQ(nwtopo_get_nic_hops(topology, here, local, there, remote), local == remote ? 2 : 4);
    }
    nwtopo_nic nearest{};
    ASSERT_EQ(nwtopo_get_nearest_nic(topology, here, local, there, &nearest), 0);
    EXPECT_EQ(nearest.machine, there);
    EXPECT_EQ(nearest.index, local);
  }
  EXPECT_EQ(nwtopo_get_nic_hops(topology, here, 2, there, 0), -1);
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(NicsTest, NwtopoTopologySetFaultsOfOnePortTakesOutOneRail) {
  for (const auto& [fault, rail] : {std::pair("gpu-1:1", 0U), std::pair("gpu-1:mlx5_1:1", 1U)}) {
    const Opened topology(source(), 0, fault);
    nwtopo_obj_t const host = named(topology, "gpu-1");
    for (unsigned i = 0; i < 2; ++i) {
      nwtopo_link link{};
      ASSERT_EQ(nwtopo_obj_get_link(topology, host, i, &link), 0);
      EXPECT_EQ(link.state, i == rail ? NWTOPO_LINK_TAKEN_OUT : NWTOPO_LINK_UP) << fault;
    }
    EXPECT_EQ(nwtopo_get_hops(topology, named(topology, "gpu-0"), host), 2) << "over the other rail";
  }
}

}  // namespace
