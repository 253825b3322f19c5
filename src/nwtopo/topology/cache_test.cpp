#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "../../base/thoroughness_fixtures.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/topology/faults.hpp"
#include "ayatori/topology/queries.hpp"
#include "ayatori/topology/subset.hpp"
#include "image_layout.hpp"
#include "image_topology.hpp"
#include "topology_fixtures.hpp"

namespace ayatori {
namespace {

namespace fs = std::filesystem;

class Cache : public testing::Test {
 protected:
  Cache() : folder_(fs::temp_directory_path() / fmt::format("nwtopo-cache-test-{}", ::getpid())) {
    fs::create_directories(folder_);
  }
  ~Cache() override { fs::remove_all(folder_); }

  fs::path path() const { return folder_ / "cache"; }

  TopologyPtr through_file(const Topology& topology) const {
    const auto written = write_cache(topology, path());
    if (!written) throw std::runtime_error(written.error().message);
    return got(open_cache(path()));
  }

  /// What open_cache says of these bytes; "" if it opens them.
  std::string error_of(std::string_view bytes) const {
    EXPECT_TRUE(write_file(path(), bytes));
    const auto opened = open_cache(path());
    if (opened) return "";
    EXPECT_EQ(opened.error().message.find('\n'), std::string::npos);
    EXPECT_TRUE(opened.error().message.find(path().string()) != std::string::npos) << opened.error().message;
    return opened.error().message;
  }

  std::string bytes_of(const Topology& topology) const {
    EXPECT_TRUE(write_cache(topology, path()));
    return read_file(path()).value();
  }

 private:
  fs::path folder_;
};

TEST_F(Cache, OpenCacheAnswersAsTheTopologyThatWasWritten) {
  for (const char* source : {"fattree:K=3,levels=3,nodes=20", "xgft:h=2;m=3,4;w=2,2;p=2,2", "torus:4x3x2,hosts=2",
                             "torus:3x4", "full:5,hosts=2", "full:4", "mesh:2x2"}) {
    SCOPED_TRACE(source);
    const TopologyPtr image = image_of(source);
    const TopologyPtr cache = through_file(*image);
    EXPECT_EQ(as_text(*cache), as_text(*image));
    EXPECT_EQ(cache->shared_bytes(), fs::file_size(path()));
    EXPECT_LT(cache->private_bytes(), 4096U);
    EXPECT_EQ(image->shared_bytes(), 0U);
    EXPECT_GT(image->private_bytes(), fs::file_size(path()));
  }
}

std::vector<std::uint32_t> distances_of(const Topology& topology) {
  std::vector<ObjectId> machines;
  for (std::uint64_t i = 0; i < topology.machine_count(); ++i) machines.push_back(topology.machine(i));
  return distances(topology, machines);
}

std::vector<ObjectId> some_machines(const Topology& topology, Random& random) {
  std::vector<ObjectId> chosen = {topology.machine(random.below(topology.machine_count()))};
  for (std::uint64_t i = 0; i < topology.machine_count(); ++i) {
    if (random.below(4) == 0 && topology.machine(i) != chosen.front()) chosen.push_back(topology.machine(i));
  }
  return chosen;
}

/// Packets of a sparse subset travel through machines that are not in it: the file must say so, also of faults there,
/// and of a subset that is read back, shrunk and written again.
TEST_F(Cache, OpenCacheKeepsTheDistancesOfSparseSubsets) {
  const char* const sources[] = {"torus:7x5", "torus:4x3x5", "mesh:6x4", "hypercube:5", "full:6", "torus:5x4,hosts=2"};
  for (std::uint64_t seed = 1; seed <= test::tries(20U, 60U); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const std::string source = sources[random.below(std::size(sources))];
    TopologyPtr whole = image_of(source);
    if (random.below(2) == 0) whole = got(take_out(whole, whole->name(whole->machine(random.below(3)))));
    const TopologyPtr subset = got(make_subset(whole, some_machines(*whole, random)));
    const TopologyPtr read = through_file(*subset);
    EXPECT_EQ(as_text(*read), as_text(*subset)) << source;
    EXPECT_EQ(distances_of(*read), distances_of(*subset)) << source;
    const auto fewer = some_machines(*read, random);
    const TopologyPtr smaller = got(make_subset(read, fewer));
    EXPECT_EQ(distances_of(*through_file(*smaller)), distances_of(*smaller)) << source;
  }
}

TEST_F(Cache, OpenCacheKeepsTheDistancesOfASparseSubsetOfAFormula) {
  const TopologyPtr torus = make_grid_topology([] {
    GridFormula formula;
    formula.dimensions = {9, 9};
    formula.periodic = {true, true};
    formula.plane = "tofu";
    return formula;
  }());
  const std::vector<ObjectId> corners = {0, 3, 27};
  const TopologyPtr subset = got(make_subset(torus, corners));
  ASSERT_EQ(distances_of(*subset), (std::vector<std::uint32_t>{0, 3, 3, 3, 0, 6, 3, 6, 0}));
  EXPECT_EQ(distances_of(*through_file(*subset)), distances_of(*subset));
}

TEST_F(Cache, OpenCacheKeepsWarnings) {
  NetworkBuilder builder;
  builder.add_router("switch", 1, 4);
  builder.add_warning("fabric.txt:7: skipped, not a record: \"ibwarn: bad status 110\"");
  builder.add_warning("another");
  const TopologyPtr image = got(make_image_topology(builder.build().value()));
  const TopologyPtr read = through_file(*image);
  const auto warnings = read->warnings();
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_TRUE(std::ranges::equal(warnings, image->warnings()));
  EXPECT_NE(warnings[0].find("bad status 110"), std::string::npos);
}

GridFormula formula_of_size(std::vector<std::uint32_t> dimensions) {
  GridFormula formula;
  formula.periodic.resize(dimensions.size(), true);
  formula.periodic.front() = false;
  formula.dimensions = std::move(dimensions);
  formula.rate = {0, LaneSpeed::unknown, 40'000};
  formula.latency = 100;
  formula.plane = "tofu";
  return formula;
}

TEST_F(Cache, WriteCacheOfAMillionMachinesByFormulaTakesAKilobyte) {
  const TopologyPtr small = make_grid_topology(formula_of_size({3, 4, 5}));
  EXPECT_EQ(as_text(*through_file(*small)), as_text(*small));
  const TopologyPtr large = through_file(*make_grid_topology(formula_of_size({100, 100, 100})));
  EXPECT_LT(fs::file_size(path()), 1024U);
  EXPECT_EQ(large->machine_count(), 1'000'000U);
  EXPECT_EQ(large->name(999'999), "N99-99-99");
}

TEST_F(Cache, OpenCacheKeepsTheNamesOfAFormula) {
  GridFormula formula = formula_of_size({3, 4});
  formula.name = [](std::uint64_t point) { return fmt::format("node{}", 100 - point); };
  formula.find = [](std::string_view name) -> std::optional<std::uint64_t> {
    for (std::uint64_t point = 0; point < 12; ++point) {
      if (name == fmt::format("node{}", 100 - point)) return point;
    }
    return std::nullopt;
  };
  const TopologyPtr named = make_grid_topology(formula);
  const TopologyPtr cache = through_file(*named);
  EXPECT_EQ(as_text(*cache), as_text(*named));
  EXPECT_EQ(as_text(*through_file(*cache)), as_text(*named));
  EXPECT_EQ(cache->find("node95"), 5U);
}

TEST_F(Cache, OpenCacheSaysWhyItRefusesAFile) {
  const std::string good = bytes_of(*image_of("fattree:K=2,levels=2"));
  EXPECT_EQ(error_of(good), "");
  EXPECT_NE(error_of("").find("this is not a topology cache"), std::string::npos);
  EXPECT_NE(error_of("#!/bin/sh\necho a script\n").find("this is not a topology cache"), std::string::npos);
  EXPECT_NE(error_of(good.substr(0, 20)).find("cut off"), std::string::npos);
  EXPECT_NE(error_of(good.substr(0, 100)).find("cut off"), std::string::npos);
  EXPECT_NE(error_of(good.substr(0, good.size() - 1)).find("cut off"), std::string::npos);
  const auto with = [&](std::size_t offset, auto value) {
    std::string bytes = good;
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return error_of(bytes);
  };
  EXPECT_NE(with(offsetof(image::Header, version), std::uint32_t{9}).find("version 9, not 1"), std::string::npos);
  EXPECT_NE(with(offsetof(image::Header, byte_order), std::byteswap(image::byte_order))
                .find("written on a machine of the other byte order"),
            std::string::npos);
  EXPECT_NE(with(good.size() - 1, '?').find("its checksum does not fit"), std::string::npos);
  EXPECT_FALSE(open_cache("/no/such/cache"));
  EXPECT_FALSE(open_cache(fs::temp_directory_path()));
}

/// Any one byte that is changed is noticed.
TEST_F(Cache, OpenImageNoticesAnyDamagedByte) {
  std::string bytes = bytes_of(*image_of("full:2"));
  std::vector<std::uint64_t> aligned(bytes.size() / 8 + 1);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
    std::memcpy(aligned.data(), bytes.data(), bytes.size());
    EXPECT_FALSE(open_image(std::as_bytes(std::span(aligned)).first(bytes.size()), "damaged")) << "byte " << i;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
  }
}

/// Bytes of a cache with one word changed and the checksum put right.
class Forgery {
 public:
  explicit Forgery(std::string_view good) : size_(good.size()), words_(good.size() / 4 + 2) {
    std::memcpy(words_.data(), good.data(), good.size());
  }

  [[nodiscard]] std::size_t word_count() const { return size_ / 4; }

  /// What open_image says when word `index` is `value`.
  [[nodiscard]] Result<TopologyPtr> open_with(std::size_t index, std::uint32_t value) {
    aligned_.assign(size_ / 8 + 1, 0);
    auto* const bytes = reinterpret_cast<std::byte*>(aligned_.data());
    std::memcpy(bytes, words_.data(), size_);
    std::memcpy(bytes + 4 * index, &value, sizeof value);
    const auto image = std::span<const std::byte>(bytes, size_);
    const std::uint64_t checksum = image_checksum(image);
    std::memcpy(bytes + offsetof(image::Header, checksum), &checksum, sizeof checksum);
    return open_image(image, "forged");
  }

  [[nodiscard]] std::uint32_t word(std::size_t index) const { return words_[index]; }

 private:
  std::size_t size_;
  std::vector<std::uint32_t> words_;
  std::vector<std::uint64_t> aligned_;
};

/// Who made the file may have put the checksum right: whatever one word of it says, the cache is refused, or answers
/// consistently. (What no other record refers to may say anything: names, latencies, port numbers.)
TEST_F(Cache, OpenImageRefusesRecordsThatContradictEachOther) {
  for (const char* source : {"fattree:K=2,levels=2", "torus:2x3,hosts=2", "full:3,hosts=2", "torus:3x2"}) {
    Forgery forgery(bytes_of(*image_of(source)));
    for (std::size_t i = image::checked_from / 4; i < forgery.word_count(); ++i) {
      for (const std::uint32_t value : {0U, 1U, forgery.word(i) + 1, forgery.word(i) ^ 0x0100'0000U, 0xFFFF'FFFFU}) {
        SCOPED_TRACE(fmt::format("{}: word {} is {:#x}", source, i, value));
        const auto topology = forgery.open_with(i, value);
        if (!topology) continue;
        for (const ObjectId id : ids_of(**topology)) {
          for (const ObjectId parent : parents_of(**topology, id)) {
            ASSERT_GT((*topology)->height(parent), (*topology)->height(id));
            const auto siblings = children_of(**topology, parent);
            ASSERT_TRUE(std::ranges::binary_search(siblings, id));
          }
          for (const TopologyLink& link : links_of(**topology, id)) ASSERT_TRUE((*topology)->contains(link.to));
        }
      }
    }
  }
}

TEST_F(Cache, WriteCacheWritesAllOrNothing) {
  EXPECT_FALSE(write_cache(*image_of("full:2"), "/no/such/folder/cache"));
  const std::string before = bytes_of(*image_of("full:2"));
  fs::create_directory(path().string() + "-folder");
  EXPECT_FALSE(write_cache(*image_of("full:3"), path().string() + "-folder"));
  EXPECT_EQ(read_file(path()).value(), before);
}

/// The mapping outlives the file's name: a job may replace the cache while another reads it.
TEST_F(Cache, WriteCacheMayReplaceAFileThatIsMapped) {
  const TopologyPtr first = through_file(*image_of("full:3"));
  const std::string before = as_text(*first);
  const TopologyPtr second = through_file(*image_of("full:4"));
  EXPECT_EQ(as_text(*first), before);
  EXPECT_EQ(second->machine_count(), 4U);
}

}  // namespace
}  // namespace ayatori
