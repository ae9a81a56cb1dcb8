#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/util/text.hpp>

/// The contract of an API server, as far as kubist counts on it: the same assertions run on the
/// fake (fake_server.cpp, unit.contract) and on a real one (live_server.cpp, integration.contract).
/// Where they differ, the fake is wrong.
namespace contract {

using kubist::data::Json;
using kubist::util::cat;
namespace kube = kubist::kube;
namespace data = kubist::data;
namespace well_known = kubist::kube::well_known;

/// A client with all rights on a server that has kubist's CRDs. One for the whole program.
const std::shared_ptr<kube::Client>& client();

/// Asks until it holds, 30 s at most.
bool eventually(const std::function<bool()>& holds);

template <typename T>
T must(kubist::util::Result<T> result) {
  REQUIRE_MESSAGE(result, (result ? "" : result.error().to_string()));
  return *std::move(result);
}

/// A namespace of one test; gone with this.
class Place {
 public:
  Place();
  ~Place();
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  const std::string& ns() const { return m_ns; }

  /// A ConfigMap with this data, not sent.
  Json config_map(const std::string& name, const Json& values = Json::object()) const;
  /// A VirtualCluster, not sent.
  Json virtual_cluster(const std::string& name, const Json& spec = Json::object()) const;
  /// Creates it.
  Json make(const Json& object) const;
  /// Reads it; null where there is none.
  Json read(const Json& object) const;
  /// What a call on it answers; `code` is 0 where it succeeds.
  struct Answer {
    int code = 0;
    Json value;
    kubist::util::Error error;
  };
  static Answer ask(const kube::ApiCall& call);

 private:
  std::string m_ns;
};

/// The API resource of the object's kind, by discovery.
kube::ApiResource resource_of(const Json& object);
std::string text(const Json& object, std::initializer_list<std::string_view> path);
std::string version_of(const Json& object);
/// "manager operation [subresource]" of those that own a field, by its path in fieldsV1, sorted.
std::vector<std::string> owners(const Json& object, const std::string& pointer);
/// Server-side apply by that manager.
Place::Answer apply_as(const Json& object, const std::string& manager, bool force = false);

}  // namespace contract
