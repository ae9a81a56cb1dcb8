#include <kubist/kube/api_call.hpp>
#include <kubist/util/words.hpp>

namespace kubist::kube {
namespace {

std::string metadata_text(const data::Json& object, const char* key) {
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) {
    return {};
  }
  const auto value = metadata->find(key);
  return value != metadata->end() && value->is_string() ? value->get<std::string>() : std::string();
}

std::shared_ptr<const std::string> json_body(const data::Json& value) {
  return std::make_shared<const std::string>(
      value.dump(-1, ' ', false, data::Json::error_handler_t::replace));
}

std::string validation_text(FieldValidation validation) {
  static constexpr util::Word<FieldValidation> k_words[] = {{FieldValidation::strict, "Strict"},
                                                            {FieldValidation::warn, "Warn"},
                                                            {FieldValidation::ignore, "Ignore"}};
  return std::string(util::word_of(k_words, validation));
}

std::string number(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : std::string();
}

/// A subresource's answer may be of another kind.
void expect(ApiCall& call, const ApiResource& resource, std::string_view name,
            std::string_view subresource) {
  if (subresource.empty()) {
    call.expected = {resource.kind, std::string(name)};
  }
}

/// About one object: its answer is that, or a Status.
ApiCall call_of_one() {
  ApiCall call;
  call.max_body = k_max_object;
  return call;
}

ApiCall write(std::string method, std::string path, const data::Json& body,
              const WriteOptions& options) {
  ApiCall call = call_of_one();
  call.method = std::move(method);
  call.path = std::move(path);
  call.query = {{"fieldManager", options.field_manager},
                {"fieldValidation", validation_text(options.validation)},
                {"dryRun", options.dry_run != DryRun::none ? "All" : ""}};
  call.content_type = "application/json";
  call.body = json_body(body);
  return call;
}

}  // namespace

ApiCall get(const ApiResource& resource, std::string_view ns, std::string_view name,
            std::string_view subresource) {
  ApiCall call = call_of_one();
  call.path = resource.path(ns, name, subresource);
  expect(call, resource, name, subresource);
  return call;
}

ApiCall apply(const ApiResource& resource, const data::Json& object, const ApplyOptions& options) {
  // No object is of this version: etcd begins with it. The server compares it with an object that
  // is there, and drops it where there is none.
  constexpr const char* k_version_of_none = "1";
  data::Json unseen;
  if (options.only_new) {
    unseen = object;
    unseen["metadata"]["resourceVersion"] = k_version_of_none;
  }
  ApiCall call = write("PATCH",
                       resource.path(metadata_text(object, "namespace"),
                                     metadata_text(object, "name"), options.subresource),
                       options.only_new ? unseen : object, options);
  call.query.emplace_back("force", options.force ? "true" : "");
  call.content_type = "application/apply-patch+yaml";
  call.idempotent = true;
  return call;
}

ApiCall create(const ApiResource& resource, const data::Json& object, const WriteOptions& options) {
  return write("POST", resource.collection_path(metadata_text(object, "namespace")), object,
               options);
}

ApiCall create_subresource(const ApiResource& resource, std::string_view ns, std::string_view name,
                           std::string_view subresource, const data::Json& body) {
  ApiCall call = call_of_one();
  call.method = "POST";
  call.path = resource.path(ns, name, subresource);
  call.content_type = "application/json";
  call.body = json_body(body);
  return call;
}

ApiCall replace(const ApiResource& resource, const data::Json& object,
                const WriteOptions& options) {
  return write("PUT",
               resource.path(metadata_text(object, "namespace"), metadata_text(object, "name"),
                             options.subresource),
               object, options);
}

ApiCall patch(const ApiResource& resource, std::string_view ns, std::string_view name,
              PatchType type, const data::Json& body, const WriteOptions& options) {
  ApiCall call = write("PATCH", resource.path(ns, name, options.subresource), body, options);
  static constexpr util::Word<PatchType> k_types[] = {
      {PatchType::json, "application/json-patch+json"},
      {PatchType::merge, "application/merge-patch+json"},
      {PatchType::strategic, "application/strategic-merge-patch+json"}};
  call.content_type = util::word_of(k_types, type);
  return call;
}

ApiCall remove(const ApiResource& resource, std::string_view ns, std::string_view name,
               const DeleteOptions& options) {
  data::Json body = {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
  static constexpr util::Word<Propagation> k_policies[] = {{Propagation::background, "Background"},
                                                           {Propagation::foreground, "Foreground"},
                                                           {Propagation::orphan, "Orphan"}};
  body["propagationPolicy"] = util::word_of(k_policies, options.propagation);
  if (!options.uid.empty()) {
    body["preconditions"]["uid"] = options.uid;
  }
  if (!options.resource_version.empty()) {
    body["preconditions"]["resourceVersion"] = options.resource_version;
  }
  if (options.grace_seconds) {
    body["gracePeriodSeconds"] = *options.grace_seconds;
  }
  if (options.dry_run != DryRun::none) {
    body["dryRun"] = {"All"};
  }
  ApiCall call = call_of_one();
  call.method = "DELETE";
  call.path = resource.path(ns, name);
  call.content_type = "application/json";
  call.body = json_body(body);
  call.idempotent = !options.uid.empty();
  return call;
}

ApiCall pod_log(std::string_view ns, std::string_view pod, const LogOptions& options) {
  ApiCall call;
  call.path = well_known::pods().path(ns, pod, "log");
  call.query = {{"container", options.container},
                {"follow", options.follow ? "true" : ""},
                {"previous", options.previous ? "true" : ""},
                {"timestamps", options.timestamps ? "true" : ""},
                {"sinceSeconds", number(options.since_seconds)},
                {"sinceTime", options.since_time},
                {"tailLines", number(options.tail_lines)},
                {"limitBytes", number(options.limit_bytes)}};
  call.accept = "*/*";
  return call;
}

ApiCall raw_get(std::string path, std::string accept) {
  ApiCall call;
  call.path = std::move(path);
  call.accept = std::move(accept);
  return call;
}

}  // namespace kubist::kube
