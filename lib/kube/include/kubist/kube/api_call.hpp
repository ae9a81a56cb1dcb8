#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/http/request.hpp>
#include <kubist/kube/api_resource.hpp>

namespace kubist::kube {

/// The object that an answer must be.
struct ExpectedObject {
  std::string kind;
  std::string name;
};

/// An answer that is one object, in bytes: API servers take no longer request than 3 MiB.
inline constexpr std::size_t k_max_object = std::size_t{8} << 20U;

/// One request to an API server as data; built by the functions below, sent by Client. Pure.
struct ApiCall {
  std::string method = "GET";
  std::string path;                                             ///< "/api/v1/namespaces/x/pods"
  std::vector<std::pair<std::string_view, std::string>> query;  ///< keys are literals
  std::string accept = "application/json";
  std::string content_type;
  std::shared_ptr<const std::string> body;
  bool idempotent = false;  ///< see http::Request
  std::chrono::milliseconds timeout{0};
  bool urgent = false;                     ///< see http::Request
  http::Permit permit = {};                ///< see http::Request
  std::optional<ExpectedObject> expected;  ///< of a call about one object, not its subresource
  std::size_t max_body = 0;                ///< see http::Request; 0: 512 MiB
};

inline constexpr std::string_view k_default_manager = "kubist";
/// Accept values of a GET of one object (parameter order matters to some servers). Lists and
/// watches are asked by Form (client.hpp): each needs a value of its own.
inline constexpr std::string_view k_accept_table =
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
inline constexpr std::string_view k_accept_metadata =
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

/// Does a write change anything? In a call both dry runs are dryRun=All, so that no mistake writes.
enum class DryRun {
  none,
  client,  ///< reads only: the outcome comes from comparing
  server,  ///< dryRun=All: admission and validation run
};
enum class FieldValidation { strict, warn, ignore };
enum class PatchType { json, merge, strategic };
enum class Propagation { background, foreground, orphan };

struct WriteOptions {
  std::string field_manager{k_default_manager};
  DryRun dry_run = DryRun::none;
  FieldValidation validation = FieldValidation::strict;
  std::string subresource;  ///< "status", ...; empty: the object itself
};

struct ApplyOptions : WriteOptions {
  bool force = false;  ///< take over fields of other managers
  /// Only make it: a conflict where the server has one of that name, which stays as it is.
  bool only_new = false;
};

struct DeleteOptions {
  std::string uid;               ///< precondition; give it whenever the object has been looked at
  std::string resource_version;  ///< precondition
  Propagation propagation = Propagation::background;
  std::optional<std::int64_t> grace_seconds;
  DryRun dry_run = DryRun::none;
};

struct LogOptions {
  std::string container;
  bool follow = false;
  bool previous = false;
  bool timestamps = false;
  std::optional<std::int64_t> since_seconds;
  std::string since_time;  ///< RFC 3339
  std::optional<std::int64_t> tail_lines;
  std::optional<std::int64_t> limit_bytes;
};

// Namespace and name of what is written come from the object's metadata, where there is an object.

ApiCall get(const ApiResource& resource, std::string_view ns, std::string_view name,
            std::string_view subresource = {});
/// Server-side apply. metadata.managedFields must not be in it; uid and resourceVersion in it are
/// preconditions. Call it as kube::apply: unqualified, the Json argument finds std::apply too.
ApiCall apply(const ApiResource& resource, const data::Json& object,
              const ApplyOptions& options = {});
/// metadata.name or generateName.
ApiCall create(const ApiResource& resource, const data::Json& object,
               const WriteOptions& options = {});
/// POST to a subresource of a named object (token, eviction, binding).
ApiCall create_subresource(const ApiResource& resource, std::string_view ns, std::string_view name,
                           std::string_view subresource, const data::Json& body);
/// PUT; the object must carry the resourceVersion it was read at.
ApiCall replace(const ApiResource& resource, const data::Json& object,
                const WriteOptions& options = {});
ApiCall patch(const ApiResource& resource, std::string_view ns, std::string_view name,
              PatchType type, const data::Json& body, const WriteOptions& options = {});
/// DELETE. 200 does not mean gone: finalizers may keep the object with a deletionTimestamp.
ApiCall remove(const ApiResource& resource, std::string_view ns, std::string_view name,
               const DeleteOptions& options = {});
/// GET of a pod's log; see also Client::follow_log.
ApiCall pod_log(std::string_view ns, std::string_view pod, const LogOptions& options = {});
/// Any GET by path ("/version", "/openapi/v3").
ApiCall raw_get(std::string path, std::string accept = "application/json");

}  // namespace kubist::kube
