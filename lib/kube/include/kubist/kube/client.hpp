#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/data/json_stream.hpp>
#include <kubist/http/curl_transport.hpp>
#include <kubist/http/observing.hpp>
#include <kubist/http/transport.hpp>
#include <kubist/kube/api_call.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/kube/discovery.hpp>
#include <kubist/kube/kubeconfig.hpp>
#include <kubist/kube/open_api.hpp>
#include <kubist/kube/request_info.hpp>
#include <kubist/util/log.hpp>
#include <kubist/util/result.hpp>

namespace kubist::data {
class PageBuffer;
}

namespace kubist::kube {

struct WatchHub;
class WatchThreads;

/// What a call brought; status is below 400.
struct Reply {
  int status = 0;
  http::Headers headers;
  std::string body;
  std::optional<ExpectedObject> expected;  ///< of its call
  /// The body as JSON. Unavailable: it is none (a proxy's page), or not about the one object that
  /// was asked for. Invalid, reason Unreadable: that object passes a limit.
  util::Result<data::Json> json() const;
};

using ReplyHandler = std::function<void(util::Result<Reply>)>;

/// What a list or a watch brings of each object.
enum class Form {
  object,    ///< all of it
  metadata,  ///< only its metadata, as PartialObjectMetadata
  table,     ///< its row as people read it, in Tables
};

/// How much of its object a row of a Table brings.
enum class TableObjects { none, metadata, whole };
/// The value of the includeObject parameter; empty for the server's default, metadata.
std::string_view to_query(TableObjects objects);

class Room;

/// Of an answer, such as a page of a list, in bytes.
inline constexpr std::size_t k_max_reply = std::size_t{512} << 20U;
/// Of a list that is kept in memory without a room, in bytes: as text, and as values.
inline constexpr std::size_t k_max_list = std::size_t{64} << 20U;
inline constexpr std::size_t k_max_list_memory = std::size_t{256} << 20U;
/// The same for the command of a person, who may list whole clusters.
inline constexpr std::size_t k_max_command_list_memory = std::size_t{2} << 30U;

/// Which objects, and in what form.
struct ListOptions {
  std::string label_selector;
  std::string field_selector;
  Form form = Form::object;
  TableObjects table_objects = TableObjects::metadata;
  std::string resource_version;                    ///< empty: consistent; "0": any, may be old
  std::size_t page_bytes = std::size_t{6} << 20U;  ///< aimed at; page sizes adapt to it
  std::int64_t first_limit = 500;                  ///< objects on the first page
  bool paged = true;                               ///< false: one reply, whatever its size
  std::int64_t max_objects = 0;                    ///< stop after that many; 0: all
  /// More of it is an error with reason http::k_failure_too_large; list() stops at a quarter of
  /// `max_memory`, and with a room at k_max_reply.
  std::size_t max_bytes = std::size_t{4} << 30U;
  std::size_t max_page = k_max_reply;  ///< the same of one page
  /// When a continue token expires: go on from the server's fresh token (for printing) instead of
  /// failing with reason Expired.
  bool tolerate_expired = false;
  /// Of list(): the objects take their memory there, and one that cannot be read goes to
  /// ObjectList::unreadable and fails only itself, instead of the list. Null: the list has its own
  /// limit, `max_memory`.
  Room* room = nullptr;
  std::size_t max_memory = k_max_list_memory;
  /// Of list() without a room: an object that is nested too deep is no error, as with one.
  bool pass_unreadable = false;
};

/// How a listing ended.
struct ListEnd {
  std::string resource_version;  ///< of the last page: where a watch goes on
  bool inconsistent = false;     ///< the continue token expired: pages come from different moments
  bool more = false;             ///< max_objects cut it
};

/// Takes one page: a whole List or Table reply. The buffer is reused after the return.
using PageHandler = std::function<util::Result<>(const data::PageBuffer& page)>;

/// An object that the server keeps and that cannot be had as a value: see Room.
struct Unreadable {
  std::shared_ptr<const data::Json> outline;  ///< with apiVersion and kind
  util::Error error;                          ///< kind invalid, reason Unreadable; names the object
};

/// A small list as values.
struct ObjectList {
  std::vector<data::Json> items;       ///< each with apiVersion and kind
  std::vector<Unreadable> unreadable;  ///< with ListOptions::room or pass_unreadable
  std::string resource_version;
};

/// The first minor version of Kubernetes 1 whose native sidecars are on by default (KEP-753): pods
/// of items need them, so older clusters are refused.
inline constexpr int k_oldest_minor = 29;

struct ServerVersion {
  std::string git_version;  ///< "v1.34.4"
  int major = 0;
  int minor = 0;
};

/// A question for SelfSubjectAccessReview.
struct AccessQuestion {
  std::string verb;  ///< "create"
  std::string group;
  std::string resource;  ///< plural
  std::string subresource;
  std::string ns;  ///< empty: all namespaces
  std::string name;
};

struct AccessAnswer {
  bool allowed = false;
  std::string reason;
};

/// Asked before each request that may change something: no reads, reviews or dry runs. An error is
/// the request's, and nothing is sent. Any thread. It may block to ask a person, so that other
/// requests of that thread wait.
using BeforeWrite = std::function<util::Result<>(const http::Request& request)>;

struct ClientOptions {
  std::string user_agent = "kubist";
  /// Where requests go instead of the network: credentials and retries are left out (tests).
  std::shared_ptr<http::Transport> transport;
  /// Shared by all clients of a program; null makes one.
  std::shared_ptr<http::CurlEngine> engine;
  /// Traces (-v6 and up) and server warnings go there; null: nowhere. Must outlive the client.
  const util::Log* log = nullptr;
  /// Each distinct Warning header once; default: log->warn.
  std::function<void(std::string_view)> on_warning;
  http::ExchangeSink on_exchange;  ///< each request that is sent, retries too; null: nobody is told
  BeforeWrite before_write;        ///< null: all may be sent
  bool discovery_cache = true;     ///< keep discovery and names of fields on disk
  bool may_prompt = false;         ///< exec plugins may use the terminal
  /// Retries (http/retry.hpp); off for commands that must fail at once.
  bool retry = true;
  std::chrono::milliseconds request_timeout{0};  ///< of each request but watches; 0: none
};

/// One cluster's API server. Every member is safe to call from any thread, but those that block
/// must not be called from a ReplyHandler. Destroying it cancels its calls (their handlers still
/// run) and waits for them.
///
/// Errors: kube/api_error.hpp for answers of 400 and more, http/transport.hpp for no answer. No
/// answer is longer than docs/reference/limits.md tells; of a server that a Secret names
/// (ClusterAccess::from_secret) errors show only what is a Kubernetes Status.
class Client : public std::enable_shared_from_this<Client> {
 public:
  /// Reads nothing and sends nothing. Invalid: credentials that cannot be used (a broken key, ...).
  static util::Result<std::shared_ptr<Client>> connect(ClusterAccess access,
                                                       ClientOptions options = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// A client that acts as that user, whatever this one's credentials impersonate: it sends no
  /// other Impersonate-* header. It keeps this one, and shares its connections, credentials and
  /// discovery, which goes on as this one's user. The API server asks this one's user for the right
  /// to impersonate.
  /// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
  std::shared_ptr<Client> as(std::string user);
  /// Which client sends a request. An error is its answer, and nothing is sent. Any thread: be
  /// quick, do not block. It may keep clients alive, but not the one that it is of.
  using Route = std::function<util::Result<Client*>(const RequestInfo& info)>;
  /// A client whose requests go where `route` says; discovery goes on as this one's.
  std::shared_ptr<Client> routed(Route route);
  /// Whom this client impersonates; empty: nobody.
  const std::string& impersonated_user() const;

  const std::string& server() const;
  /// The namespace of the context, "default" when it names none.
  const std::string& default_namespace() const;
  Discovery& discovery();
  OpenApi& open_api();

  /// Sends the call; `done` gets its outcome on the worker's thread: be quick, do not block. May
  /// block to run an exec plugin.
  http::Call start(const ApiCall& call, ReplyHandler done);
  /// Sends the call and waits.
  util::Result<Reply> run(const ApiCall& call, std::stop_token stop = {});
  /// The same, with the body as JSON.
  util::Result<data::Json> json(const ApiCall& call, std::stop_token stop = {});
  /// The value of a GET, or nothing where it answers 404.
  util::Result<std::optional<data::Json>> find(const ApiResource& resource, std::string_view ns,
                                               std::string_view name, std::stop_token stop = {});

  /// Lists a collection page by page (empty `ns`: all namespaces); `on_page` runs on this thread
  /// while the next page is on its way; at most two pages are in memory. An error of the handler
  /// ends the listing.
  util::Result<ListEnd> list_pages(const ApiResource& resource, std::string_view ns,
                                   const ListOptions& options, const PageHandler& on_page,
                                   std::stop_token stop = {});
  /// The same, item by item, in the server's order; not for Form::table.
  util::Result<ListEnd> list_items(const ApiResource& resource, std::string_view ns,
                                   const ListOptions& options, const data::ItemHandler& on_item,
                                   std::stop_token stop = {});
  /// All of a collection as values, for small ones. Starts again when a continue token expires.
  util::Result<ObjectList> list(const ApiResource& resource, std::string_view ns,
                                const ListOptions& options = {}, std::stop_token stop = {});

  /// Streams a pod's log line by line (without newline) until it ends, the handler returns false,
  /// or stop. With follow, a broken connection is resumed where it stood, without repeating lines.
  util::Result<> follow_log(std::string_view ns, std::string_view pod, const LogOptions& options,
                            const std::function<bool(std::string_view line)>& on_line,
                            std::stop_token stop = {});

  util::Result<ServerVersion> version(std::stop_token stop = {});
  /// May the caller do this? (SelfSubjectAccessReview)
  util::Result<AccessAnswer> can_i(const AccessQuestion& question, std::stop_token stop = {});
  /// What the caller may do in all namespaces, as far as the server can list it. The
  /// SelfSubjectRulesReview, answered.
  util::Result<data::Json> my_rules(std::stop_token stop = {});
  /// As whom does the server know the caller? The SelfSubjectReview, answered.
  util::Result<data::Json> who_am_i(std::stop_token stop = {});

  /// The request that a call becomes, and the transport it goes through: for watches and others
  /// that stream.
  http::Request request_of(const ApiCall& call) const;
  http::Transport& transport();
  /// For subscribe(): the watches that are shared.
  WatchHub& watch_hub();
  /// For StandingWatch: those of all clients that share connections.
  WatchThreads& watch_threads();
  /// Reports Warning headers of an answer that did not come through start().
  void report_warnings(const http::Headers& headers);

 private:
  struct Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  /// One that shares all but the transport, and whom it impersonates, with this one.
  std::shared_ptr<Client> over(std::shared_ptr<http::Transport> transport, Impersonation as);
  std::unique_ptr<Impl> m_impl;
};

}  // namespace kubist::kube
