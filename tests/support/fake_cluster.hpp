#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/http/transport.hpp>
#include <kubist/kube/client.hpp>

/// An API server in memory, behind the transport: what the contract suite (tests/contract) shows on
/// it and on the real one holds for both. Controllers that it plays at once: namespaces that end,
/// and the garbage collector. It has no rights, no webhooks, no CEL but kubist's own rules, and
/// built-in kinds take any field.
namespace kubist::testing {

/// One request as the audit log of a real server has it.
struct LoggedRequest {
  std::string verb;  ///< "get", "list", "watch", "create", "update", "patch", "delete"
  std::string resource, ns, name, subresource;
  std::string target;  ///< path and query
  std::string user_agent;
  bool dry_run = false;
  int status = 0;
  bool has_permit = false;  ///< of http::Request
  std::string as;           ///< whom the request impersonates; empty: nobody
  /// "patch virtualclusters shop/dev status".
  std::string to_string() const;
};

/// Any thread.
class FakeCluster : public http::Transport {
 public:
  /// With namespaces `default` and `kube-system` and kubist's CRDs (without
  /// their schemas, which it holds to). `host`: its name in URLs.
  explicit FakeCluster(std::string host = "home");
  /// Ends open watches as cancelled.
  ~FakeCluster() override;

  std::string server() const { return "https://" + m_host + ":6443"; }
  const std::string& host() const { return m_host; }
  /// A client whose requests go through `transport`, this cluster where it is null.
  std::shared_ptr<kube::Client> connect(std::shared_ptr<http::Transport> transport = nullptr,
                                        const std::string& user_agent = "kubist");
  http::Call start(http::Request request, http::Done done) override;

  // Objects, as a user with all rights and field manager `kubectl` reads and writes them; not in
  // the log. What is refused throws std::runtime_error.
  data::Json put(const data::Json& object);  ///< server-side apply, by force
  /// Keeps it as it is, whatever is wrong with it, with its status and with a deletion that has
  /// begun: as one that an older schema let in. It gets defaults, a uid and a generation.
  void plant(data::Json object);
  /// Nothing: null.
  data::Json get(const std::string& plural_group, const std::string& name,
                 const std::string& ns = {});
  std::vector<data::Json> list(const std::string& plural_group, const std::string& ns = {});
  void patch(const std::string& plural_group, const std::string& name, const std::string& ns,
             kube::PatchType type, const data::Json& body, const std::string& subresource = {});
  void remove(const std::string& plural_group, const std::string& name, const std::string& ns = {});
  std::string uid();  ///< of kube-system

  /// What has been asked so far, without forget_log().
  std::vector<LoggedRequest> log() const;
  /// Of these what was let through and changed something, or could have.
  std::vector<LoggedRequest> writes() const;
  void forget_log();

  // Faults, not of put() and the like. `pattern` is a glob over "METHOD path?query", for the next
  // `times` requests that match.
  /// An answer instead of what the request would bring.
  void fail(const std::string& pattern, int status, int times = 1, http::Headers headers = {});
  /// No answer.
  void lose(const std::string& pattern, int times = 1);
  /// Something that happens just before such a request is served.
  void before(const std::string& pattern, std::function<void()> what, int times = 1);
  /// From here on access reviews (all but impersonated ones) say no to that verb.
  void deny(const std::string& verb);
  /// The server behind that API group is down (an APIService), or up again.
  void silence(const std::string& group, bool silent = true);
  void allow(const std::string& verb);  ///< takes that back
  /// Who is impersonated may from here on only do what `may` says (the status is not known then);
  /// called under the cluster's lock.
  void judge(std::function<bool(const LoggedRequest&)> may);
  void end_watches();  ///< as servers close them from time to time
  void cut_watches();  ///< the connections break
  void bookmark();     ///< one to every watch
  void compact();      ///< older resourceVersions and continue tokens are expired
  std::size_t watches() const;

 private:
  struct Impl;
  std::string m_host;
  std::shared_ptr<Impl> m_impl;
  std::shared_ptr<kube::Client> m_operator;
};

/// Several clusters behind one transport, by the hosts of their URLs; nobody listens elsewhere. Any
/// thread.
class FakeNetwork : public http::Transport {
 public:
  void add(const std::shared_ptr<FakeCluster>& cluster) {
    const std::lock_guard lock(m_mutex);
    m_clusters[cluster->host()] = cluster;
  }
  void remove(const std::string& host) {
    const std::lock_guard lock(m_mutex);
    m_clusters.erase(host);
  }
  http::Call start(http::Request request, http::Done done) override;

 private:
  std::shared_ptr<FakeCluster> find(const std::string& host);
  std::mutex m_mutex;
  std::map<std::string, std::shared_ptr<FakeCluster>> m_clusters;
};

}  // namespace kubist::testing
