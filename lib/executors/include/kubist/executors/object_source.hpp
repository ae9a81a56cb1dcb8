#pragma once
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <kubist/engine/graph.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/resources/kinds.hpp>

namespace kubist::executors {

/// The API resource of one of kubist's kinds, so that no discovery is needed.
kube::ApiResource resource_of(const resources::Kind& kind);

using ObjectPtr = std::shared_ptr<const data::Json>;

/// The objects of one kind at one moment.
struct Objects {
  std::vector<ObjectPtr> items;
  std::vector<kube::Unreadable> unreadable;
};

/// What watches hold, so that it is not listed again. Any thread.
class ObjectSource {
 public:
  virtual ~ObjectSource() = default;
  /// All of that kind, in that namespace or (empty) in all, with everything that this process has
  /// written. Waits for a listing that is under way. Nothing: it does not know; the API server
  /// does.
  virtual std::optional<Objects> list(const kube::ApiResource& resource, const std::string& ns,
                                      const std::stop_token& stop) = 0;
  /// The namespaces that are all there is to read, since the caller may not list in all; empty: it
  /// may, or that was not tried.
  virtual std::set<std::string> limits(const std::stop_token& stop);
  /// This process has written an object.
  virtual void wrote(const engine::Key& key, const std::string& uid,
                     const std::string& resource_version) = 0;
};

}  // namespace kubist::executors
