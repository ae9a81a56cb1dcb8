#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

namespace kubist::resources {

using data::Json;
using util::cat;
using util::ErrorKind;

namespace {

ConditionView read_condition(const Json& condition) {
  return {data::string_at(condition, {"type"}), data::string_at(condition, {"status"}),
          data::string_at(condition, {"reason"}), data::string_at(condition, {"message"}),
          data::int_at(condition, {"observedGeneration"})};
}

const Json& conditions_of(const Json& object) {
  return data::array_at(object, {"status", "conditions"});
}

}  // namespace

std::string to_string(const ObjectRef& ref) { return cat(ref.kind, '/', ref.name); }

std::string to_key(const ObjectRef& ref) {
  return cat(ref.kind, ref.group.empty() ? "" : ".", ref.group, '/', ref.ns,
             ref.ns.empty() ? "" : "/", ref.name);
}

util::Result<ObjectRef> parse_ref(std::string_view text) {
  auto slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) {
    return util::fail(ErrorKind::invalid, cat('"', text, "\" names no object"),
                      "write it as Kind/name, e.g. Cluster/production");
  }
  std::string_view name = text.substr(slash + 1);
  if (std::string wrong = check_dns_subdomain(name); !wrong.empty()) {
    return util::fail(ErrorKind::invalid,
                      cat('"', text, "\" names no object: the name \"", name, "\" ", wrong));
  }
  return ObjectRef{"", std::string(text.substr(0, slash)), "", std::string(name)};
}

std::string_view group_of(std::string_view api_version) {
  auto slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view{} : api_version.substr(0, slash);
}

std::string_view version_of(std::string_view api_version) {
  auto slash = api_version.find('/');
  return slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
}

std::string_view ObjectView::api_version() const {
  return data::string_at(m_object, {"apiVersion"});
}
std::string_view ObjectView::kind() const { return data::string_at(m_object, {"kind"}); }
std::string_view ObjectView::name() const {
  return data::string_at(m_object, {"metadata", "name"});
}
std::string_view ObjectView::generate_name() const {
  return data::string_at(m_object, {"metadata", "generateName"});
}
std::string_view ObjectView::ns() const {
  return data::string_at(m_object, {"metadata", "namespace"});
}
std::string_view ObjectView::uid() const { return data::string_at(m_object, {"metadata", "uid"}); }
std::string_view ObjectView::resource_version() const {
  return data::string_at(m_object, {"metadata", "resourceVersion"});
}
std::string_view ObjectView::deletion_timestamp() const {
  return data::string_at(m_object, {"metadata", "deletionTimestamp"});
}
std::string_view ObjectView::creation_timestamp() const {
  return data::string_at(m_object, {"metadata", "creationTimestamp"});
}
std::int64_t ObjectView::generation() const {
  return data::int_at(m_object, {"metadata", "generation"});
}
std::int64_t ObjectView::observed_generation() const {
  return data::int_at(m_object, {"status", "observedGeneration"});
}
const Json& ObjectView::labels() const { return data::object_at(m_object, {"metadata", "labels"}); }
const Json& ObjectView::annotations() const {
  return data::object_at(m_object, {"metadata", "annotations"});
}
std::string_view ObjectView::label(std::string_view key) const {
  return data::string_at(labels(), {key});
}
std::string_view ObjectView::annotation(std::string_view key) const {
  return data::string_at(annotations(), {key});
}
const Json& ObjectView::spec() const { return data::object_at(m_object, {"spec"}); }
const Json& ObjectView::status() const { return data::object_at(m_object, {"status"}); }

std::vector<OwnerView> ObjectView::owners() const {
  std::vector<OwnerView> owners;
  for (const Json& owner : data::array_at(m_object, {"metadata", "ownerReferences"})) {
    owners.push_back({data::string_at(owner, {"apiVersion"}), data::string_at(owner, {"kind"}),
                      data::string_at(owner, {"name"}), data::string_at(owner, {"uid"}),
                      data::bool_at(owner, {"controller"})});
  }
  return owners;
}

std::vector<std::string_view> ObjectView::finalizers() const {
  std::vector<std::string_view> finalizers;
  for (const Json& finalizer : data::array_at(m_object, {"metadata", "finalizers"})) {
    if (finalizer.is_string()) {
      finalizers.push_back(finalizer.get_ref<const std::string&>());
    }
  }
  return finalizers;
}

bool ObjectView::has_finalizer(std::string_view name) const {
  auto all = finalizers();
  return std::find(all.begin(), all.end(), name) != all.end();
}

std::vector<ConditionView> ObjectView::conditions() const {
  std::vector<ConditionView> conditions;
  for (const Json& condition : conditions_of(m_object)) {
    conditions.push_back(read_condition(condition));
  }
  return conditions;
}

std::optional<ConditionView> ObjectView::condition(std::string_view type) const {
  for (const Json& condition : conditions_of(m_object)) {
    if (data::string_at(condition, {"type"}) == type) {
      return read_condition(condition);
    }
  }
  return std::nullopt;
}

ObjectRef ObjectView::ref() const {
  return {std::string(group()), std::string(kind()), std::string(ns()), std::string(name())};
}

namespace {

Json to_json(const Condition& condition, std::string_view transition) {
  Json json = {{"type", condition.type},
               {"status", condition.status},
               {"reason", condition.reason},
               {"message", condition.message},
               {"lastTransitionTime", transition}};
  if (condition.observed_generation > 0) {
    json["observedGeneration"] = condition.observed_generation;
  }
  return json;
}

}  // namespace

Condition drift_condition(std::string what) {
  return what.empty() ? Condition{k_drifted, "False", "InSync", "what is live is what was applied"}
                      : Condition{k_drifted, "True", "ChangedByOthers", std::move(what)};
}

bool set_condition(Json& conditions, const Condition& condition, std::string_view now) {
  if (!conditions.is_array()) {
    conditions = Json::array();
  }
  for (Json& present : conditions) {
    if (data::string_at(present, {"type"}) != condition.type) {
      continue;
    }
    bool same_status = data::string_at(present, {"status"}) == condition.status;
    std::string since(data::string_at(present, {"lastTransitionTime"}));
    Json next = to_json(condition, same_status && !since.empty() ? std::string_view(since) : now);
    if (next == present) {
      return false;
    }
    present = std::move(next);
    return true;
  }
  conditions.push_back(to_json(condition, now));
  return true;
}

void set_label(Json& object, std::string_view key, std::string_view value) {
  data::set_path(object, {"metadata", "labels", key}, std::string(value));
}

void set_annotation(Json& object, std::string_view key, std::string_view value) {
  data::set_path(object, {"metadata", "annotations", key}, std::string(value));
}

}  // namespace kubist::resources
