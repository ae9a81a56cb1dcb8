#include "manifest/managed.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::deployers {
namespace {

using util::cat;

/// Each watch is a connection and a thread: whoever waits for all objects may watch some of them.
constexpr std::size_t k_watched = 16;
constexpr std::size_t k_lines = 3;

std::string text_at(const Json& from, std::string_view field) {
  return std::string(data::string_at(from, {field}));
}

}  // namespace

std::vector<Managed> managed_of(const Item& item) {
  std::vector<Managed> result;
  for (const Json& entry :
       data::array_at(item.object, {"status", "providerStatus", "managedResources"})) {
    const auto part = [&](const char* name) {
      const Json* found = data::find_path(entry, {name});
      return found != nullptr && found->is_object() ? *found : Json();
    };
    const Json resource = part("resource");
    Managed managed;
    managed.policy = parse_policy(data::string_at(entry, {"policy"}));
    managed.api_version = text_at(resource, "apiVersion");
    managed.ref = {std::string(resources::group_of(managed.api_version)), text_at(resource, "kind"),
                   text_at(resource, "namespace"), text_at(resource, "name")};
    managed.uid = text_at(resource, "uid");
    managed.stale = data::bool_at(entry, {"stale"});
    managed.drift = parse_drift(data::string_at(entry, {"drift"}));
    managed.fields = text_at(entry, "fields");
    managed.annotate_before_delete = part("annotateBeforeDelete");
    managed.patch_before_delete = part("patchBeforeDelete");
    if (!managed.ref.kind.empty() && !managed.ref.name.empty()) {
      result.push_back(std::move(managed));
    }
  }
  return result;
}

Json managed_json(const std::vector<Managed>& managed) {
  Json list = Json::array();
  for (const Managed& one : managed) {
    Json resource{{"apiVersion", one.api_version}, {"kind", one.ref.kind}, {"name", one.ref.name}};
    if (!one.ref.ns.empty()) {
      resource["namespace"] = one.ref.ns;
    }
    if (!one.uid.empty()) {
      resource["uid"] = one.uid;
    }
    Json entry{{"policy", to_string(one.policy)}, {"resource", std::move(resource)}};
    if (one.stale) {
      entry["stale"] = true;
    }
    if (one.drift) {
      entry["drift"] = to_string(*one.drift);
    }
    if (!one.fields.empty()) {
      entry["fields"] = one.fields;
    }
    if (!one.annotate_before_delete.is_null()) {
      entry["annotateBeforeDelete"] = one.annotate_before_delete;
    }
    if (!one.patch_before_delete.is_null()) {
      entry["patchBeforeDelete"] = one.patch_before_delete;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::string name_of(const resources::ObjectRef& ref) {
  return cat(ref.kind, " ", ref.ns, ref.ns.empty() ? "" : "/", ref.name);
}

std::string field_manager_of(const Item& item) {
  constexpr std::size_t k_longest = 40;
  return short_name(k_item_manager, cat(item.ns, "/", item.name), k_longest);
}

apply::OwnerMark mark_of(const Item& item) {
  return {apply::OwnerMark::On::label, std::string(k_managed_label), item.uid};
}

void Pending::add(const Job& job, const kube::ApiResource& resource, const std::string& ns,
                  const std::string& name, std::string line, const std::string& labels) {
  lines.push_back(std::move(line));
  if (watch.size() < k_watched) {
    watch.push_back({job.place.objects(), {resource, resource.namespaced ? ns : "", name, labels}});
  }
}

std::string Pending::message(std::string_view what) const {
  std::string text = cat(what, " ");
  for (std::size_t i = 0; i < lines.size() && i < k_lines; ++i) {
    text += cat(i == 0 ? "" : "; ", lines[i]);
  }
  if (lines.size() > k_lines) {
    text += cat("; and ", lines.size() - k_lines, " more");
  }
  return text;
}

}  // namespace kubist::deployers
