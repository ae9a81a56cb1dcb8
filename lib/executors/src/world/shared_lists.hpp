#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/kube/client.hpp>
#include <kubist/kube/room.hpp>

namespace kubist::executors {

/// Lists that many nodes of a run want within moments: the Services, routes and gateways among
/// which each of a namespace's routes is checked. A list is shared for a second, and no longer than
/// until this run writes such an object. One for a run; any thread. So it is no SharedAnswer: that
/// goes neither by an answer's age nor by writes to what several users of the cluster have read.
class SharedLists {
 public:
  using Items = std::shared_ptr<const std::vector<data::Json>>;

  /// As Client::list without a selector. It takes room of the project with that namespace
  /// (kube::Reservation) until it is listed again, or the run ends.
  util::Result<Items> list(kube::Client& client, const kube::ApiResource& resource,
                           const std::string& ns, const std::string& project_ns,
                           const std::stop_token& stop);
  /// This run wrote an object of that kind there.
  void written(const kube::Client& client, const kube::ApiResource& resource,
               const std::string& ns);

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    std::mutex mutex;  ///< held while it is asked for
    Clock::time_point began{};
    std::uint64_t writes = 0;  ///< that were known when it began
    Items items;
    std::unique_ptr<kube::Reservation> reservation;  ///< for the items
  };
  struct Key {
    std::string server, type, ns;
    auto operator<=>(const Key&) const = default;
  };
  static Key key_of(const kube::Client& client, const kube::ApiResource& resource,
                    const std::string& ns);
  std::uint64_t writes_to(const Key& key);

  std::mutex m_mutex;  ///< guards the maps, not what is in the entries
  /// As whom it was asked for: what all clients of one credential share, and the user.
  using Reader = std::pair<const kube::Discovery*, std::string>;
  std::map<std::pair<Key, Reader>, std::shared_ptr<Entry>> m_entries;
  std::map<Key, std::uint64_t> m_writes;
};

}  // namespace kubist::executors
