#pragma once
#include <atomic>
#include <map>
#include <mutex>

#include <kubist/engine/executor.hpp>
#include <kubist/executors/world.hpp>

namespace kubist::executors {

/// Writes statuses as merge patches of the status subresource (field manager kubist-status), one at
/// a time for each object, under the project's lock. In a dry run nothing is written.
class KubeStatusStore final : public engine::StatusStore {
 public:
  KubeStatusStore(World& world, std::stop_token stop) : m_world(world), m_stop(std::move(stop)) {}
  util::Result<> write(const engine::Node& node, const data::Json& status) override;

 private:
  World& m_world;
  std::stop_token m_stop;
  std::mutex m_mutex;
  std::map<std::string, data::Json> m_written;  ///< by uid: what the server has by our last write
};

}  // namespace kubist::executors
