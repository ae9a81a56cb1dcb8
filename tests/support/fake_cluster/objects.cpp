// The cluster as its operator sees it: objects, and the log of what others asked.
#include <stdexcept>

#include <kubist/kube/api_call.hpp>
#include <kubist/util/text.hpp>

#include "impl.hpp"

namespace kubist::testing {

using data::Json;
using util::cat;

std::string LoggedRequest::to_string() const {
  return cat(verb, ' ', resource, ' ', ns, ns.empty() ? "" : "/", name,
             subresource.empty() ? "" : " ", subresource);
}

namespace {

bool changes_something(const LoggedRequest& request) {
  return !request.dry_run && request.status < 400 && request.verb != "get" &&
         request.verb != "list" && request.verb != "watch" &&
         !request.resource.starts_with("selfsubject");
}

kube::ApiResource resource_named(kube::Client& client, const std::string& word) {
  return client.discovery().find_word(word).value();
}

template <typename T>
T must_succeed(util::Result<T> result) {
  if (!result) {
    throw std::runtime_error(result.error().to_string());
  }
  return *std::move(result);
}

}  // namespace

Json FakeCluster::put(const Json& object) {
  const auto& client = m_operator;
  const auto of = must_succeed(client->discovery().find_kind(
      object.at("apiVersion").get<std::string>(), object.at("kind").get<std::string>()));
  kube::ApplyOptions options;
  options.field_manager = "kubectl";
  options.force = true;
  return must_succeed(client->json(kube::apply(of, object, options)));
}

void FakeCluster::plant(Json object) {
  const auto of = must_succeed(m_operator->discovery().find_kind(
      object.at("apiVersion").get<std::string>(), object.at("kind").get<std::string>()));
  const std::lock_guard lock(m_impl->mutex);
  FakeServer& server = m_impl->server;
  const FakeKind& kind = *server.kinds().find(of.group, of.version, of.plural);
  fill_in(kind, object);
  Json& metadata = object["metadata"];
  metadata["uid"] = server.fresh_uid();
  metadata["creationTimestamp"] = time_now();
  metadata["generation"] = 1;
  server.store().put(key_of(kind), std::move(object));
}

Json FakeCluster::get(const std::string& type, const std::string& name, const std::string& ns) {
  const auto& client = m_operator;
  const auto found = must_succeed(client->find(resource_named(*client, type), ns, name));
  return found ? *found : Json();
}

std::vector<Json> FakeCluster::list(const std::string& type, const std::string& ns) {
  const auto& client = m_operator;
  return must_succeed(client->list(resource_named(*client, type), ns)).items;
}

void FakeCluster::patch(const std::string& type, const std::string& name, const std::string& ns,
                        kube::PatchType how, const Json& body, const std::string& subresource) {
  const auto& client = m_operator;
  kube::WriteOptions options;
  options.field_manager = "kubectl-patch";
  options.subresource = subresource;
  must_succeed(
      client->run(kube::patch(resource_named(*client, type), ns, name, how, body, options)));
}

void FakeCluster::remove(const std::string& type, const std::string& name, const std::string& ns) {
  const auto& client = m_operator;
  must_succeed(client->run(kube::remove(resource_named(*client, type), ns, name)));
}

std::string FakeCluster::uid() { return get("namespaces", "kube-system")["metadata"]["uid"]; }

std::vector<LoggedRequest> FakeCluster::log() const {
  const std::lock_guard lock(m_impl->mutex);
  return m_impl->log;
}

std::vector<LoggedRequest> FakeCluster::writes() const {
  std::vector<LoggedRequest> all = log();
  std::erase_if(all, [](const LoggedRequest& each) { return !changes_something(each); });
  return all;
}

void FakeCluster::forget_log() {
  const std::lock_guard lock(m_impl->mutex);
  m_impl->log.clear();
}

}  // namespace kubist::testing
