// Requests come in and are answered, watched, noted.
#include <kubist/http/url.hpp>
#include <kubist/resources/crds.hpp>
#include <kubist/util/text.hpp>

#include "../deliver.hpp"
#include "impl.hpp"

namespace kubist::testing {

using data::Json;
using util::cat;

namespace {

LoggedRequest logged(const FakeRequest& request, int status) {
  return {request.verb(), request.plural,     request.ns,        request.name, request.subresource,
          request.target, request.user_agent, request.dry_run(), status,       request.has_permit,
          request.as};
}

/// In the words of a real server's.
Refusal denied(const FakeRequest& request) {
  return {403, "Forbidden",
          cat(request.plural, " \"", request.name, "\" is forbidden: User \"", request.as,
              "\" cannot ", request.verb(), " resource \"", request.plural, "\" in API group \"",
              request.group, "\" ",
              request.ns.empty() ? "at the cluster scope"
                                 : cat("in the namespace \"", request.ns, '"'))};
}

}  // namespace

void FakeCluster::Impl::note(const FakeRequest& request, int status) {
  if (request.user_agent != k_operator) {
    log.push_back(logged(request, status));
  }
}

http::Response FakeCluster::Impl::serve(const FakeRequest& request) {
  try {
    if (may && !request.as.empty() && !may(logged(request, 0))) {
      throw denied(request);
    }
    return server.serve(request);
  } catch (const Refusal& refusal) {
    return status_answer(refusal);
  }
}

std::optional<http::Response> FakeCluster::Impl::open(const FakeRequest& asked,
                                                      const http::Request& request,
                                                      const http::Done& done,
                                                      FakeWatches::Place& place) {
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
    const std::string status = status_answer({410, "Expired", "too old resource version"}).body;
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

bool FakeCluster::Impl::close(const FakeWatches::Place& place) {
  const std::lock_guard lock(mutex);
  return watches.close(place);
}

void FakeCluster::Impl::end(const util::Result<http::Response>& outcome) {
  std::list<FakeWatches::Place> open;
  {
    const std::lock_guard lock(mutex);
    open = watches.take_all();
  }
  for (const auto& watch : open) {
    watch->done(outcome);
  }
}

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
  forget_log();  // what the operator found out of the kinds
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

void FakeCluster::bookmark() {
  const std::lock_guard lock(m_impl->mutex);
  m_impl->watches.bookmark(m_impl->server.store().version());
}

void FakeCluster::deny(const std::string& verb) {
  const std::lock_guard lock(m_impl->mutex);
  m_impl->server.deny(verb);
}

void FakeCluster::silence(const std::string& group, bool silent) {
  const std::lock_guard lock(m_impl->mutex);
  m_impl->server.kinds().silence(group, silent);
}

void FakeCluster::allow(const std::string& verb) {
  const std::lock_guard lock(m_impl->mutex);
  m_impl->server.allow(verb);
}

void FakeCluster::judge(std::function<bool(const LoggedRequest&)> may) {
  const std::lock_guard lock(m_impl->mutex);
  m_impl->may = std::move(may);
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

std::shared_ptr<FakeCluster> FakeNetwork::find(const std::string& host) {
  const std::lock_guard lock(m_mutex);
  const auto found = m_clusters.find(host);
  return found == m_clusters.end() ? nullptr : found->second;
}

http::Call FakeNetwork::start(http::Request request, http::Done done) {
  const auto url = http::parse_url(request.url);
  if (const auto cluster = url ? find(url->host) : nullptr) {
    return cluster->start(std::move(request), std::move(done));
  }
  util::Error error = util::make_error(
      util::ErrorKind::unavailable, cat(request.method, ' ', request.url, ": connection refused"));
  error.reason = http::k_failure_refused;
  done(util::fail(std::move(error)));
  return {};
}

}  // namespace kubist::testing
