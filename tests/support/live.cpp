#include "live.hpp"

#include <chrono>
#include <map>
#include <mutex>

#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/fs.hpp>

#include "cost.hpp"

namespace it {

using namespace kubist;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds k_poll{50};
/// By how much a busy machine may be slower than a quiet one.
constexpr int k_patience = 4;

/// The value; fails the test where there is none.
template <typename T>
T must_have(util::Result<T> result) {
  REQUIRE_MESSAGE(result, (result ? "" : result.error().to_string()));
  return *std::move(result);
}

std::shared_ptr<kube::Client> connect(const std::string& cluster) {
  kube::Overrides overrides;
  overrides.kubeconfig = kubeconfig(cluster);
  kube::ClientOptions options;
  options.user_agent = "test";  // some tests know kubist's requests by its own
  options.discovery_cache = false;
  auto made = must_have(kube::Client::connect(
      must_have(kube::find_access(overrides, kube::process_environment())), options));
  // What is begun after it is ended before it: OpenSSL must be there before, to outlive it.
  must_have(made->run(kube::raw_get("/version")));
  return made;
}

std::string namespace_of(const kube::ApiResource& resource, const std::string& ns) {
  return !resource.namespaced ? std::string() : ns.empty() ? "default" : ns;
}

}  // namespace

fs::path kubeconfig(const std::string& cluster) {
  const std::string home = util::environment("KUBECONFIG");
  REQUIRE_MESSAGE(!home.empty(), "run integration tests through tests/cluster/cluster exec");
  return cluster == "home" ? fs::path(home) : fs::path(home).parent_path() / cluster;
}

const std::shared_ptr<kube::Client>& client(const std::string& cluster) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<kube::Client>> clients;
  const std::lock_guard lock(mutex);
  auto& found = clients[cluster];
  if (!found) {
    found = connect(cluster);
  }
  return found;
}

kube::ApiResource resource(const std::string& cluster, const std::string& type) {
  return must_have(client(cluster)->discovery().find_word(type));
}

std::optional<Json> get(const std::string& cluster, const std::string& type,
                        const std::string& name, const std::string& ns) {
  const kube::ApiResource of = resource(cluster, type);
  ++cost::requests;
  auto found = must_have(client(cluster)->find(of, namespace_of(of, ns), name));
  if (found) {
    (*found)["metadata"].erase("managedFields");
  }
  return found;
}

std::vector<Json> list(const std::string& cluster, const std::string& type, const std::string& ns) {
  ++cost::requests;
  return must_have(client(cluster)->list(resource(cluster, type), ns)).items;
}

void put(const std::string& cluster, const std::vector<Json>& objects, bool force) {
  for (Json object : objects) {
    const auto of = must_have(client(cluster)->discovery().find_kind(
        data::string_at(object, {"apiVersion"}), data::string_at(object, {"kind"})));
    if (of.namespaced && data::string_at(object, {"metadata", "namespace"}).empty()) {
      object["metadata"]["namespace"] = "default";
    }
    kube::ApplyOptions options;
    options.field_manager = "kubectl";
    options.force = force;
    ++cost::requests;
    must_have(client(cluster)->run(kube::apply(of, object, options)));
  }
}

void patch(const std::string& cluster, const std::string& type, const std::string& name,
           const std::string& ns, kube::PatchType how, const Json& body,
           const std::string& subresource) {
  const kube::ApiResource of = resource(cluster, type);
  kube::WriteOptions options;
  options.field_manager = "kubectl-patch";
  options.subresource = subresource;
  ++cost::requests;
  must_have(client(cluster)->run(kube::patch(of, namespace_of(of, ns), name, how, body, options)));
}

void remove(const std::string& cluster, const std::string& type, const std::string& name,
            const std::string& ns) {
  const kube::ApiResource of = resource(cluster, type);
  ++cost::requests;
  const auto done = client(cluster)->run(kube::remove(of, namespace_of(of, ns), name));
  REQUIRE_MESSAGE((done || done.error().kind == util::ErrorKind::not_found),
                  (done ? "" : done.error().to_string()));
}

bool eventually(const std::function<bool()>& holds, int seconds) {
  const int limit = k_patience * seconds;
  const auto begin = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  bool held = holds();
  while (!held && passed() <= limit) {
    util::sleep_for(k_poll, {});
    held = holds();
  }
  cost::count_wait(passed(), limit);
  return held;
}

}  // namespace it
