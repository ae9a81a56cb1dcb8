#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kubist/kube/client.hpp>

#include "world/absences.hpp"

namespace kubist::executors {

/// Where a watch of what a project's objects name looks, and as whom. Others have one of their own:
/// what one credential sees is not told of what was named by another.
struct WatchPlace {
  std::string project;  ///< its namespace
  /// Which all clients of one credential share. Their user tells apart as whom they act.
  const kube::Discovery* credential;
  std::string user, resource, ns;
  auto operator<=>(const WatchPlace&) const = default;
};
WatchPlace watch_place(const std::string& project, kube::Client& client,
                       const kube::ApiResource& resource, const std::string& ns);
/// Those of these clients, by which the places of ended ones are known.
std::set<const kube::Discovery*> credentials_of(
    const std::vector<std::shared_ptr<kube::Client>>& clients);

/// How many watches there may be, and of what, as users are told.
struct WatchLimits {
  std::size_t of_project = 64;
  std::size_t in_all = 512;
  std::string_view of = "kinds and namespaces";
};

/// How many watches there may be of what projects' objects name, and how much those of a project
/// may know together: 256 MiB. Any thread.
class WatchRoom {
 public:
  /// A watch holds it as long as it lasts. The room outlives it.
  class Place;
  using Seat = std::shared_ptr<Place>;

  /// REQUIRES: `absences` outlives it.
  explicit WatchRoom(Absences& absences, WatchLimits limits = {})
      : m_limits(limits), m_absences(absences) {}
  WatchRoom(const WatchRoom&) = delete;
  WatchRoom& operator=(const WatchRoom&) = delete;
  /// Null: the project (its namespace), or all together, have as many as they may. Once of each
  /// project `absences` is told so.
  Seat take(const std::string& project);
  /// The same of the first of them that has room.
  Seat take(const std::set<std::string>& projects);

 private:
  /// What a project has taken.
  struct Taken {
    std::size_t places = 0;
    std::size_t bytes = 0;
  };
  void say_full(const std::string& project, const std::string& beyond);

  const WatchLimits m_limits;
  Absences& m_absences;
  std::mutex m_mutex;  ///< guards what follows
  std::map<std::string, Taken> m_taken;
  std::size_t m_all = 0;
  std::set<std::string> m_full;  ///< projects that it has told of
};

class WatchRoom::Place {
 public:
  Place(WatchRoom& room, std::string project) : m_room(room), m_project(std::move(project)) {}
  ~Place();
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  /// The watch knows as much more. False: its project has no room for that.
  bool grow(std::size_t bytes);
  void shrink(std::size_t bytes);
  const std::string& project() const { return m_project; }

 private:
  WatchRoom& m_room;
  const std::string m_project;
};

}  // namespace kubist::executors
