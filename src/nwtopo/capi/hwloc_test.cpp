// src/nwtopo/include/nwtopo/hwloc.h, over machines that are written down here.

#include "nwtopo/hwloc.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

constexpr const char* pu = R"(<object type="Core" os_index="{0}" {1}><object type="PU" os_index="{0}" {1}/></object>)";

/// An adapter with its verbs device and its IP interface, behind a bridge of the host.
constexpr const char* adapter = R"(
<object type="Bridge" bridge_type="0-1" depth="0" bridge_pci="0000:[{0:02x}-{0:02x}]">
 <object type="PCIDev" pci_busid="0000:{0:02x}:00.0" pci_type="0207 [15b3:1017] [15b3:0003] 00" pci_link_speed="15.75">
  <object type="OSDev" name="ib{0}" osdev_type="2"/>
  <object type="OSDev" name="mlx5_{0}" osdev_type="3"/>
 </object>
</object>)";

std::string sets(int cpus, int nodes) {
  return fmt::format(R"(cpuset="{0:#x}" complete_cpuset="{0:#x}" nodeset="{1:#x}" complete_nodeset="{1:#x}")", cpus,
                     nodes);
}

/// Two packages of two cores, with a NUMA node and an adapter each.
std::string two_packages(const std::string& host, bool with_adapters) {
  std::string packages;
  for (int i = 0; i < 2; ++i) {
    const int node = 1 << i;
    packages += fmt::format(R"(<object type="Package" os_index="{}" {}>)", i, sets(3 << 2 * i, node));
    packages +=
        fmt::format(R"(<object type="NUMANode" os_index="{}" {} local_memory="4096"/>)", i, sets(3 << 2 * i, node));
    for (int j = 2 * i; j < 2 * i + 2; ++j) packages += fmt::format(fmt::runtime(pu), j, sets(1 << j, node));
    if (with_adapters) packages += fmt::format(fmt::runtime(adapter), i);
    packages += "</object>\n";
  }
  return fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
<object type="Machine" os_index="0" {} allowed_cpuset="0xf" allowed_nodeset="0x3"><info name="HostName" value="{}"/>
{}</object></topology>
)",
                     sets(15, 3), host, packages);
}

/// A network, and a folder with the insides of two of its machines: N5 has adapters, N6 none.
class Hwloc : public testing::Test {
 protected:
  void SetUp() override {
    // Plugins that are unloaded leave memory behind, which a leak checker takes for ours.
    ::setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 1);
    std::filesystem::create_directory(folder_);
    std::ofstream(folder_ + "/N5.xml") << two_packages("N5", true);
    std::ofstream(folder_ + "/N6.xml") << two_packages("N6", false);
    ASSERT_EQ(nwtopo_topology_init(&network_), 0);
    ASSERT_EQ(nwtopo_topology_set_source(network_, "fattree:K=3"), 0);
    ASSERT_EQ(nwtopo_topology_set_this_machine(network_, "N0"), 0);
    ASSERT_EQ(nwtopo_topology_load(network_), 0) << nwtopo_error_message();
  }
  void TearDown() override {
    nwtopo_topology_destroy(network_);
    std::filesystem::remove_all(folder_);
  }

  [[nodiscard]] nwtopo_obj_t object(const char* name) const {
    return nwtopo_topology_get_object_by_name(network_, name);
  }
  [[nodiscard]] hwloc_topology_t inside(const char* machine) const {
    hwloc_topology_t node = nullptr;
    EXPECT_EQ(nwtopo_hwloc_load(network_, object(machine), folder_.c_str(), &node), 0) << machine;
    return node;
  }

  std::string folder_ = std::filesystem::temp_directory_path() / fmt::format("nwtopo-hwloc-{}", ::getpid());
  nwtopo_topology_t network_ = nullptr;
};

/// Every object below one, of whatever kind.
void collect(hwloc_obj_t from, std::vector<hwloc_obj_t>& found) {
  found.push_back(from);
  for (hwloc_obj_t first :
       {from->first_child, from->memory_first_child, from->io_first_child, from->misc_first_child}) {
    for (hwloc_obj_t child = first; child != nullptr; child = child->next_sibling) collect(child, found);
  }
}

std::string package_of(hwloc_obj_t object) {
  while (object != nullptr && object->type != HWLOC_OBJ_PACKAGE) object = object->parent;
  return object == nullptr ? "0" : std::to_string(object->os_index);  // of the whole machine: the first one
}

TEST_F(Hwloc, TheNearestNicIsThatOfThePackageWhateverTheObjectIs) {
  hwloc_topology_t const node = inside("N5");
  ASSERT_NE(node, nullptr);
  std::vector<hwloc_obj_t> objects;
  collect(hwloc_get_root_obj(node), objects);
  bool memory = false;
  bool device = false;
  for (hwloc_obj_t const near : objects) {
    hwloc_obj_t const nic = nwtopo_hwloc_get_nic_near(node, near);
    ASSERT_NE(nic, nullptr) << hwloc_obj_type_string(near->type);
    EXPECT_EQ(nic->name, "mlx5_" + package_of(near)) << hwloc_obj_type_string(near->type) << " " << near->os_index;
    memory = memory || near->type == HWLOC_OBJ_NUMANODE;
    device = device || near->type == HWLOC_OBJ_OS_DEVICE;
  }
  EXPECT_TRUE(memory && device);
  hwloc_topology_destroy(node);
}

TEST_F(Hwloc, MachinesAndTheirInsidesFindEachOther) {
  hwloc_topology_t const node = inside("N5");
  ASSERT_NE(node, nullptr);
  EXPECT_EQ(nwtopo_hwloc_get_machine(network_, node), object("N5"));
  hwloc_topology_destroy(node);
}

TEST_F(Hwloc, SaysWhatIsNotThere) {
  hwloc_topology_t node = inside("N6");
  ASSERT_NE(node, nullptr);
  errno = 0;
  EXPECT_EQ(nwtopo_hwloc_get_nic_near(node, hwloc_get_root_obj(node)), nullptr);
  EXPECT_EQ(errno, ENOENT);
  hwloc_topology_destroy(node);
  EXPECT_EQ(nwtopo_hwloc_load(network_, object("N7"), folder_.c_str(), &node), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(node, nullptr);
  EXPECT_EQ(nwtopo_hwloc_load(network_, object("N5"), nullptr, &node), -1);
  EXPECT_EQ(errno, ENOENT);
}

void expect_invalid(bool failed, const std::string& part) {
  EXPECT_TRUE(failed);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_NE(std::string(nwtopo_error_message()).find(part), std::string::npos) << nwtopo_error_message();
  errno = 0;
}

TEST_F(Hwloc, RefusesWhatIsNullOrNoMachineOfTheNetwork) {
  const char* const folder = folder_.c_str();
  hwloc_topology_t node = nullptr;
  nwtopo_obj forged{};
  expect_invalid(nwtopo_hwloc_load(network_, nullptr, folder, &node) == -1, "is NULL");
  expect_invalid(nwtopo_hwloc_load(nullptr, object("N5"), folder, &node) == -1, "the topology is NULL");
  expect_invalid(nwtopo_hwloc_load(network_, &forged, folder, &node) == -1, "not of this topology");
  expect_invalid(nwtopo_hwloc_load(network_, object("LS0"), folder, &node) == -1, "router");
  expect_invalid(nwtopo_hwloc_load(network_, object("N5"), folder, nullptr) == -1, "");
  node = inside("N5");
  ASSERT_NE(node, nullptr);
  expect_invalid(nwtopo_hwloc_get_machine(network_, nullptr) == nullptr, "");
  expect_invalid(nwtopo_hwloc_get_machine(nullptr, node) == nullptr, "the topology is NULL");
  expect_invalid(nwtopo_hwloc_get_nic_near(node, nullptr) == nullptr, "");
  expect_invalid(nwtopo_hwloc_get_nic_near(nullptr, hwloc_get_root_obj(node)) == nullptr, "");
  hwloc_topology_destroy(node);
}

}  // namespace
