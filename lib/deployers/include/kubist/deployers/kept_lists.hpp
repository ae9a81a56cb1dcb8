#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <kubist/data/json.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/resources/object.hpp>

namespace kubist::deployers {

/// The metadata of what items keep, read for many of them at once: a LIST of a kind in a namespace
/// instead of a GET each, once more than a few of these were asked for, or are expected to be. One
/// for a run; any thread.
class KeptLists {
 public:
  /// How many items of the run keep objects in that namespace.
  using Expected = std::map<std::string, std::size_t>;
  explicit KeptLists(Expected expected = {}) : m_expected(std::move(expected)) {}
  /// As a list of this run had it, up to a minute ago; each is given once. Nothing: ask for it by
  /// name. `resource` is that of `ref`.
  std::optional<data::Json> take(kube::Client& client, const kube::ApiResource& resource,
                                 const resources::ObjectRef& ref, const std::stop_token& stop);

 private:
  struct Group;
  std::shared_ptr<Group> group(const kube::Client& client, const kube::ApiResource& resource,
                               const std::string& ns);
  const Expected m_expected;
  std::mutex m_mutex;  ///< guards the map, not what is in it
  std::map<std::string, std::shared_ptr<Group>> m_groups;
};

}  // namespace kubist::deployers
