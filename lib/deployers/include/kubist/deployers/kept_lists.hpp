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
/// instead of a GET each, once more than a few of these were asked for, or are expected to be; and
/// a LIST of the kind in the whole home cluster, once a few of its namespaces were listed. One for
/// a run; any thread.
class KeptLists {
 public:
  /// How many items of the run keep objects in that namespace.
  using Expected = std::map<std::string, std::size_t>;
  /// Who asks, for what is in one namespace.
  struct Reader {
    kube::Client& objects;  ///< as the account of the items
    /// kubist itself, where that is a namespace of the home cluster and the items' own; null: it
    /// lists none of it.
    kube::Client* home = nullptr;
    std::string project_ns;  ///< for whom: what is kept takes its room (kube::Reservation)
  };
  explicit KeptLists(Expected expected = {});
  ~KeptLists();
  /// As a list of this run had it, up to a minute ago; each is given once. Nothing: ask for it by
  /// name. `resource` is that of `ref`. What Reader::home lists may say no more of an object than
  /// that it is still as its item recorded it: the items' account may see less.
  std::optional<data::Json> take(const Reader& reader, const kube::ApiResource& resource,
                                 const resources::ObjectRef& ref, const std::stop_token& stop);

 private:
  struct Group;
  struct Whole;
  std::shared_ptr<Group> group(const kube::Client& client, const kube::ApiResource& resource,
                               const std::string& ns);
  bool fill_from_whole(Group& group, kube::Client& home, const kube::ApiResource& resource,
                       const std::string& ns, const std::stop_token& stop);
  const Expected m_expected;
  std::mutex m_mutex;  ///< guards the maps, not what is in them
  std::map<std::string, std::shared_ptr<Group>> m_groups;
  std::map<std::string, std::shared_ptr<Whole>> m_wholes;  ///< by the path of the collection
};

}  // namespace kubist::deployers
