#include <mutex>
#include <optional>
#include <stdexcept>

#include <kubist/http/url.hpp>
#include <kubist/kube/api_call.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/util/text.hpp>

#include "../fake_cluster.hpp"
#include "server.hpp"

namespace kubist::testing {

using data::Json;
using util::cat;

std::string LoggedRequest::to_string() const {
  return cat(verb, ' ', resource, ' ', ns, ns.empty() ? "" : "/", name,
             subresource.empty() ? "" : " ", subresource);
}

namespace {

/// The user of put() and the like.
constexpr const char* k_operator = "fake-operator";

bool changes_something(const LoggedRequest& request) {
  return !request.dry_run && request.status < 400 && request.verb != "get" &&
         request.verb != "list" && request.verb != "watch" &&
         !request.resource.starts_with("selfsubject");
}

util::Error lost(const http::Request& request) {
  util::Error error = util::make_error(util::ErrorKind::unavailable,
                                       cat(request.method, ' ', request.url, ": connection lost"));
  error.reason = http::k_failure_lost;
  return error;
}

/// As a transport hands it over.
void deliver(const http::Request& request, util::Result<http::Response> outcome,
             const http::Done& done) {
  if (outcome && request.on_chunk && outcome->status / 100 == 2) {
    const std::string body = std::exchange(outcome->body, {});
    if (request.on_head) {
      request.on_head(*outcome);
    }
    if (!body.empty() && !request.on_chunk(body)) {
      outcome = util::fail(util::ErrorKind::cancelled, "stopped by its receiver");
    }
  }
  done(std::move(outcome));
}

http::Response expired() { return status_answer({410, "Expired", "too old resource version"}); }

}  // namespace

struct FakeCluster::Impl {
  struct Fault {
    std::string pattern;
    int times = 1;
    std::function<std::optional<util::Result<http::Response>>()> answer;
  };
  std::mutex mutex;
  FakeServer server{[this](const FakeEvent& event) { watches.tell(event); }};
  FakeWatches watches;
  std::vector<LoggedRequest> log;
  std::vector<Fault> faults;

  /// The first fault that is due for it.
  std::optional<Fault> fault_for(const FakeRequest& request) {
    if (request.user_agent == k_operator) {
      return std::nullopt;
    }
    const std::string what = cat(request.method, ' ', request.target);
    for (auto fault = faults.begin(); fault != faults.end(); ++fault) {
      if (util::glob_match(fault->pattern, what)) {
        Fault due = *fault;
        if (--fault->times == 0) {
          faults.erase(fault);
        }
        return due;
      }
    }
    return std::nullopt;
  }

  void note(const FakeRequest& request, int status) {
    if (request.user_agent != k_operator) {
      log.push_back({request.verb(), request.plural, request.ns, request.name, request.subresource,
                     request.target, request.user_agent, request.dry_run(), status,
                     request.has_permit, request.as});
    }
  }

  http::Response serve(const FakeRequest& request) {
    try {
      return server.serve(request);
    } catch (const Refusal& refusal) {
      return status_answer(refusal);
    }
  }

  /// Opens it, and tells what has happened since; nothing: it is open, else the answer.
  std::optional<http::Response> open(const FakeRequest& asked, const http::Request& request,
                                     const http::Done& done, FakeWatches::Place& place) {
    FakeFilter filter;
    try {
      filter = server.filter_of(asked);
    } catch (const Refusal& refusal) {
      return status_answer(refusal);
    }
    const auto version = asked.query.find("resourceVersion");
    const bool from_now = version == asked.query.end() || version->second == "0";
    const auto events =
        from_now ? std::vector<FakeEvent>() : server.store().since(std::stoll(version->second));
    if (request.on_head) {
      request.on_head({.status = 200});
    }
    if (!events) {
      const std::string status = expired().body;
      request.on_chunk(cat(R"({"type":"ERROR","object":)", status, "}\n"));
      return http::Response{.status = 200};
    }
    place = watches.open(std::move(filter), request, done);
    for (const Json& object :
         from_now ? server.store().list(place->filter.kind, asked.ns) : std::vector<Json>()) {
      if (place->filter.takes(object)) {
        FakeWatches::send(*place, "ADDED", object);
      }
    }
    for (const FakeEvent& event : *events) {
      FakeWatches::tell(*place, event);
    }
    return std::nullopt;
  }

  bool close(const FakeWatches::Place& place) {
    const std::lock_guard lock(mutex);
    return watches.close(place);
  }

  void end(const util::Result<http::Response>& outcome) {
    std::list<FakeWatches::Place> open;
    {
      const std::lock_guard lock(mutex);
      open = watches.take_all();
    }
    for (const auto& watch : open) {
      watch->done(outcome);
    }
  }
};

FakeCluster::FakeCluster(std::string host)
    : m_host(std::move(host)), m_impl(std::make_shared<Impl>()) {
  // Compiled once for all.
  static const FakeKinds with_kubist = [] {
    FakeKinds kinds;
    for (const Json& crd : resources::crds()) {
      kinds.add_crd(crd);
    }
    return kinds;
  }();
  m_impl->server.kinds() = with_kubist;
  m_operator = connect(nullptr, k_operator);
  for (Json crd : resources::crds()) {
    crd["metadata"]["uid"] = m_impl->server.fresh_uid();
    for (Json& version : crd["spec"]["versions"]) {
      version.erase("schema");  // large, and the kinds have it
    }
    m_impl->server.store().put("customresourcedefinitions.apiextensions.k8s.io", std::move(crd));
  }
  for (const char* name : {"default", "kube-system"}) {
    put({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}});
  }
}

FakeCluster::~FakeCluster() {
  m_impl->end(util::fail(util::ErrorKind::cancelled, "the fake cluster is gone"));
}

std::shared_ptr<kube::Client> FakeCluster::connect(std::shared_ptr<http::Transport> transport,
                                                   const std::string& user_agent) {
  // Not owned: a client that outlived it would be a test's mistake.
  const std::shared_ptr<http::Transport> self(std::shared_ptr<void>(), this);
  kube::ClusterAccess access;
  access.server = server();
  kube::ClientOptions options;
  options.transport = transport ? std::move(transport) : self;
  options.user_agent = user_agent;
  return kube::Client::connect(std::move(access), std::move(options)).value();
}

http::Call FakeCluster::start(http::Request request, http::Done done) {
  const FakeRequest asked = FakeRequest::of(request);
  std::unique_lock lock(m_impl->mutex);
  if (const auto fault = m_impl->fault_for(asked)) {
    lock.unlock();
    auto outcome = fault->answer();
    lock.lock();
    if (outcome) {
      m_impl->note(asked, *outcome ? (*outcome)->status : 0);
      lock.unlock();
      deliver(request, *std::move(outcome), done);
      return {};
    }
  }
  if (request.permit) {
    lock.unlock();
    if (auto may = request.permit(); !may) {
      deliver(request, util::fail(may.error()), done);
      return {};
    }
    lock.lock();
  }
  if (asked.verb() == "watch") {
    FakeWatches::Place place;
    auto answer = m_impl->open(asked, request, done, place);
    m_impl->note(asked, answer ? answer->status : 200);
    lock.unlock();
    if (answer) {
      done(*std::move(answer));
      return {};
    }
    return http::Call([weak = std::weak_ptr(m_impl), place] {
      if (const auto impl = weak.lock(); impl && impl->close(place)) {
        place->done(util::fail(util::ErrorKind::cancelled, "cancelled"));
      }
    });
  }
  auto answer = m_impl->serve(asked);
  m_impl->note(asked, answer.status);
  lock.unlock();
  deliver(request, std::move(answer), done);
  return {};
}

namespace {

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

void FakeCluster::fail(const std::string& pattern, int status, int times, http::Headers headers) {
  http::Response answer =
      json_answer(status, {{"kind", "Status"},
                           {"status", "Failure"},
                           {"code", status},
                           {"message", cat("the fake was told to answer ", status)}});
  answer.headers.insert(answer.headers.end(), headers.begin(), headers.end());
  const std::lock_guard lock(m_impl->mutex);
  m_impl->faults.push_back(
      {pattern, times, [answer] { return std::optional(util::Result<http::Response>(answer)); }});
}

void FakeCluster::lose(const std::string& pattern, int times) {
  const std::lock_guard lock(m_impl->mutex);
  m_impl->faults.push_back(
      {pattern, times,
       [] { return std::optional<util::Result<http::Response>>(util::fail(lost({}))); }});
}

void FakeCluster::before(const std::string& pattern, std::function<void()> what, int times) {
  const std::lock_guard lock(m_impl->mutex);
  m_impl->faults.push_back(
      {pattern, times, [what = std::move(what)]() -> std::optional<util::Result<http::Response>> {
         what();
         return std::nullopt;
       }});
}

void FakeCluster::end_watches() { m_impl->end(http::Response{.status = 200}); }
void FakeCluster::cut_watches() { m_impl->end(util::fail(lost({}))); }

void FakeCluster::bookmark() {
  const std::lock_guard lock(m_impl->mutex);
  m_impl->watches.bookmark(m_impl->server.store().version());
}

void FakeCluster::deny(const std::string& verb) {
  const std::lock_guard lock(m_impl->mutex);
  m_impl->server.deny(verb);
}

void FakeCluster::compact() {
  const std::lock_guard lock(m_impl->mutex);
  m_impl->server.store().compact();
  m_impl->server.expire_pages();
}

std::size_t FakeCluster::watches() const {
  const std::lock_guard lock(m_impl->mutex);
  return m_impl->watches.count();
}

http::Call FakeNetwork::start(http::Request request, http::Done done) {
  const auto url = http::parse_url(request.url);
  const auto found = url ? m_clusters.find(url->host) : m_clusters.end();
  if (found != m_clusters.end()) {
    return found->second->start(std::move(request), std::move(done));
  }
  util::Error error = util::make_error(
      util::ErrorKind::unavailable, cat(request.method, ' ', request.url, ": connection refused"));
  error.reason = http::k_failure_refused;
  done(util::fail(std::move(error)));
  return {};
}

}  // namespace kubist::testing
