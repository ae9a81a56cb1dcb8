// How objects end: finalizers, the namespace controller and the garbage collector, at once.
#include <algorithm>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "server.hpp"

namespace kubist::testing {

using data::Json;
using util::cat;

namespace {

bool is_held(const Json& object) {
  return !data::array_at(object, {"metadata", "finalizers"}).empty();
}

void check_preconditions(const FakeRequest& request, const Json& options, const Json& object) {
  for (const auto& [key, name] :
       {std::pair{"uid", "UID"}, std::pair{"resourceVersion", "ResourceVersion"}}) {
    const auto wanted = data::string_at(options, {"preconditions", key});
    const auto live = data::string_at(object, {"metadata", key});
    if (!wanted.empty() && wanted != live) {
      throw conflict(request, cat("Precondition failed: ", name, " in precondition: ", wanted, ", ",
                                  name, " in object meta: ", live));
    }
  }
}

}  // namespace

http::Response FakeServer::remove(const FakeRequest& request, const FakeKind& kind) {
  const Json object = live(request, kind);
  const Json options = request.body.empty() ? Json::object() : Json::parse(request.body);
  check_preconditions(request, options, object);
  if (request.dry_run()) {
    return json_answer(200, object);
  }
  if (data::string_at(options, {"propagationPolicy"}) == "Orphan") {
    for (auto& [key, each] : m_store.select([&](const Json& other) {
           const Json& owners = data::array_at(other, {"metadata", "ownerReferences"});
           return std::any_of(owners.begin(), owners.end(), [&](const Json& owner) {
             return data::string_at(owner, {"uid"}) == object["metadata"]["uid"];
           });
         })) {
      Json orphan = each;
      orphan["metadata"].erase("ownerReferences");
      m_store.put(key, std::move(orphan));
    }
  }
  Json after = begin_deletion(kind, object);
  if (!after.is_null() || kind.resource.kind == "Pod") {
    return json_answer(200, after.is_null() ? object : after);
  }
  return json_answer(200, {{"kind", "Status"},
                           {"apiVersion", "v1"},
                           {"metadata", Json::object()},
                           {"status", "Success"},
                           {"details",
                            {{"name", request.name},
                             {"group", request.group},
                             {"kind", request.plural},
                             {"uid", object["metadata"]["uid"]}}}});
}

// Returns it as it is while it goes; null: it is gone.
Json FakeServer::begin_deletion(const FakeKind& kind, Json object) {
  const bool is_namespace = kind.resource.kind == "Namespace";
  if (!is_namespace && !is_held(object)) {
    go(kind, object);
    return nullptr;
  }
  if (!object["metadata"].contains("deletionTimestamp")) {
    object["metadata"]["deletionTimestamp"] = time_now();
    if (is_namespace) {
      object["status"]["phase"] = "Terminating";
    } else {
      object["metadata"]["deletionGracePeriodSeconds"] = 0;
      if (object["metadata"].contains("generation")) {
        object["metadata"]["generation"] = object["metadata"]["generation"].get<int>() + 1;
      }
    }
    object = m_store.put(key_of(kind), std::move(object));
  }
  if (is_namespace) {
    empty_namespace(name_of(object));
  }
  return object;
}

void FakeServer::go(const FakeKind& kind, const Json& object) {
  m_store.erase(key_of(kind), object);
  if (kind.resource.kind == "CustomResourceDefinition") {
    const std::string group(data::string_at(object, {"spec", "group"}));
    const std::string plural(data::string_at(object, {"spec", "names", "plural"}));
    m_kinds.remove_crd(group, plural);
  }
  collect_garbage_of(std::string(data::string_at(object, {"metadata", "uid"})));
  if (const std::string ns = ns_of(object); !ns.empty()) {
    end_namespace(ns);
  }
}

const FakeKind* FakeServer::kind_of(const KindKey& key, const Json& object) const {
  const std::string_view api_version = data::string_at(object, {"apiVersion"});
  return m_kinds.find(resources::group_of(api_version), resources::version_of(api_version),
                      key.substr(0, key.find('.')));
}

void FakeServer::empty_namespace(const std::string& ns) {
  for (const auto& [key, object] :
       m_store.select([&](const Json& each) { return ns_of(each) == ns; })) {
    const Json* still = m_store.find(key, ns, name_of(object));
    if (const FakeKind* kind = kind_of(key, object); kind != nullptr && still != nullptr) {
      begin_deletion(*kind, *still);
    }
  }
  end_namespace(ns);
}

void FakeServer::end_namespace(const std::string& ns) {
  const Json* found = m_store.find("namespaces", "", ns);
  if (found == nullptr || !found->at("metadata").contains("deletionTimestamp") ||
      m_store.namespace_has_objects(ns) || is_held(*found)) {
    return;
  }
  go(*m_kinds.find("", "v1", "namespaces"), Json(*found));
}

void FakeServer::collect_garbage_of(const std::string& uid) {
  const auto owned = m_store.select([&](const Json& object) {
    const Json& owners = data::array_at(object, {"metadata", "ownerReferences"});
    return !owners.empty() && std::all_of(owners.begin(), owners.end(), [&](const Json& owner) {
      return data::string_at(owner, {"uid"}) == uid;
    });
  });
  for (const auto& [key, object] : owned) {
    const Json* still = m_store.find(key, ns_of(object), name_of(object));
    if (const FakeKind* kind = kind_of(key, object); kind != nullptr && still != nullptr) {
      begin_deletion(*kind, *still);
    }
  }
}

}  // namespace kubist::testing
