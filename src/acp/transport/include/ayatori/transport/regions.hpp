#pragma once
/// \file
/// Control information on demand (paper 5, sections 3 and 4.1): which memory a
/// peer has registered is read out of the peer when somebody needs it, and kept
/// in bounded space.
///
///     owner       PublishedRegions ── read() ──▶ Application::read, for the range key `directory_key`
///     requester   KnownRegions ── Endpoint::get ──▶ the owner's directory

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/transport/endpoint.hpp"
#include "ayatori/transport/queues.hpp"

namespace ayatori::transport {

/// Memory that its owner lets peers use. `key` is what RemoteRange::key must be: a random number, so that nobody who
/// was not given it finds it, and a peer that still has an old one is refused.
struct Region {
  std::uint64_t key = 0;   ///< 0: there is no such region
  std::uint64_t base = 0;  ///< whatever the owner says: an address, for example
  Bytes size = 0;

  bool operator==(const Region&) const = default;
};

/// The index of a region by its key: the lower 8 bits.
[[nodiscard]] constexpr std::uint32_t index_of(std::uint64_t key) { return static_cast<std::uint32_t>(key & 0xFF); }

/// The key under which every endpoint's directory is read; no region has it.
inline constexpr std::uint64_t directory_key = ~std::uint64_t{0};
inline constexpr std::size_t region_bytes = 24;  ///< of an entry of the directory

[[nodiscard]] constexpr std::size_t directory_bytes(std::uint32_t regions) { return regions * region_bytes; }

/// A region of another process of this host, out of its directory in shared memory. Nothing if there is none now.
[[nodiscard]] std::optional<Region> region_in(std::span<const std::byte> directory, std::uint32_t index);

/// What an endpoint has registered: a directory of fixed size. Not thread-safe.
class PublishedRegions {
 public:
  /// `capacity`: regions, at most 256. `seed`: of the keys; a secret.
  PublishedRegions(std::uint32_t capacity, std::uint64_t seed);

  /// Moves the directory into memory that processes of this host share, zeroed and aligned to 8 bytes:
  /// directory_bytes(capacity). They read it by region_in(). It must outlive this object.
  void publish_at(std::span<std::byte> shared);

  /// The index under which peers find it; nothing if the directory is full.
  [[nodiscard]] std::optional<std::uint32_t> add(std::uint64_t base, Bytes size);

  /// From now on its key is refused. False if there is none with this index.
  bool remove(std::uint32_t index);

  [[nodiscard]] std::optional<Region> at(std::uint32_t index) const;

  /// The region that has the range, all of it; nothing if there is none: to be refused.
  [[nodiscard]] std::optional<Region> holding(const RemoteRange& range) const;

  /// The answer of Application::read() to a range of `directory_key`.
  [[nodiscard]] std::optional<std::span<const std::byte>> read(const RemoteRange& range) const;

 private:
  void write_entry(std::uint32_t index, const Region& region);

  std::vector<Region> regions_;
  std::vector<std::byte> own_directory_;
  std::span<std::byte> directory_;
  Random random_;
};

/// What peers were found to have registered: the entries used last, `entries` of them, whoever owns them. Not
/// thread-safe; used on the endpoint's thread. Its gets have the tokens first_token … first_token + fetches - 1, which
/// nobody else may use.
class KnownRegions {
 public:
  KnownRegions(std::uint32_t entries, std::uint32_t fetches, Token first_token);

  struct Name {
    PeerId peer = 0;
    std::uint32_t index = 0;  ///< in the peer's directory

    bool operator==(const Name&) const = default;
  };

  /// The region, if it is known. What is found was used last and is forgotten last.
  [[nodiscard]] std::optional<Region> find(Name name);

  /// Asks the region's owner; completed() or failed() tell the end. Also true if that is under way already. False if
  /// there is no room now: try again after Application::room(), or after the end of another fetch.
  [[nodiscard]] bool fetch(Time now, Endpoint& endpoint, Name name);

  /// How a fetch ended. Application::completed(), and refused() and failed(), call these first. Nothing if the token is
  /// not one of a fetch.
  struct Fetched {
    Name name;
    std::optional<Region> region;  ///< nothing: its owner has none with this index, refused, or is lost
  };
  [[nodiscard]] std::optional<Fetched> completed(Token token);
  [[nodiscard]] std::optional<Fetched> failed(Token token);

  /// The owner refused an access with this key, so the region has to be fetched again. An entry with another key, which
  /// was fetched since, stays.
  void forget(Name name, std::uint64_t key);

  /// Forgets everything about a peer that is lost.
  void forget(PeerId peer);

 private:
  struct Entry {
    Name name;
    Region region;
    std::uint32_t next = no_id;  // in its bucket
    bool used = false;
  };
  struct Fetch {
    Name name;
    bool under_way = false;
    std::array<std::byte, region_bytes> bytes{};
  };

  [[nodiscard]] std::uint32_t& bucket(Name name);
  [[nodiscard]] std::uint32_t entry_of(Name name);
  [[nodiscard]] std::optional<Fetch> take(Token token);
  void keep(Name name, const Region& region);
  void drop(std::uint32_t entry);

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> buckets_;
  IdQueue recency_;  // all entries: unused ones, then the one used longest ago, first
  std::vector<Fetch> fetches_;
  Token first_token_;
};

}  // namespace ayatori::transport
