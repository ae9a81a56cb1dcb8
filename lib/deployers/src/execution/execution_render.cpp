#include <array>

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/upstream.hpp>
#include <kubist/resources/execution_items.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "execution/execution_parts.hpp"
#include "item/requests.hpp"

namespace kubist::deployers {
namespace {

using util::cat;
using util::ErrorKind;

// Of an Execution's item; the rest is the DeployItem's config.
constexpr std::array k_item_fields{"name",    "type",    "dependsOn",    "timeout",
                                   "imports", "exports", "exportSchema", "updateOnChangeOnly"};

bool has_entries(const Json& object, std::string_view list) {
  const Json* found = data::find_path(object, {list});
  return found != nullptr && !found->empty();
}

std::string_view deploy_type(std::string_view type) {
  return type == "Script" ? "kubist.io/script" : type == "Container" ? "kubist.io/container" : "";
}

Json item_spec(const ExecutionInput& input, const Json& item, std::string_view type) {
  Json spec{{"type", type}};
  Json config = item;
  for (const char* field : k_item_fields) {
    config.erase(field);
  }
  spec["config"] = std::move(config);
  for (const char* field : {"timeout", "updateOnChangeOnly", "exportSchema", "exports"}) {
    if (item.contains(field)) {
      spec[field] = item[field];
    }
  }
  const auto target = data::string_at(input.spec, {"virtualClusterRef", "name"});
  if (!target.empty()) {
    spec["target"] = {{"name", target}};
  }
  return spec;
}

/// An export that the Execution shows publicly is public in the DeployItem, too.
void mark_public(Json& spec, const Json& execution_spec, std::string_view item) {
  for (const Json& entry : data::array_at(execution_spec, {"exports"})) {
    const auto key = data::string_at(entry, {"key"}, data::string_at(entry, {"name"}));
    if (data::string_at(entry, {"item"}) != item || !data::bool_at(entry, {"public"}) ||
        key.find('.') != std::string_view::npos) {
      continue;
    }
    Json& known = spec["exports"];
    if (!known.is_array()) {
      known = Json::array();
    }
    const auto found = std::find_if(known.begin(), known.end(), [&](const Json& one) {
      return data::string_at(one, {"name"}) == key;
    });
    if (found == known.end()) {
      known.push_back({{"name", key}, {"public", true}});
    } else if (!found->contains("public")) {
      (*found)["public"] = true;
    }
  }
}

/// Deployers of others do not know import Secrets: their imports are in the item's configuration.
bool reads_import_secret(std::string_view type) {
  const Deployer* deployer = type.starts_with("kubist.io/") ? find_deployer(type, {}) : nullptr;
  return deployer != nullptr && deployer->takes_imports();
}

/// The DeployItem around a spec.
Json deploy_item(const ExecutionInput& input, const std::string& item,
                 const std::vector<std::string>& depends_on, Json spec) {
  const resources::ObjectView view(input.object);
  const std::string name = deploy_item_name(view.name(), item);
  // Applied over one that had fields, an empty map would become null (structured-merge-diff).
  if (const Json* config = data::find_path(spec, {"config"});
      config != nullptr && config->empty()) {
    spec.erase("config");
  }
  if (input.foreign_crd) {
    spec = to_upstream_spec(std::move(spec), std::string(view.ns()));
  }
  Json meta = owned_metadata(input, name);
  meta["annotations"][std::string(k_item_annotation)] = item;
  if (!depends_on.empty()) {
    meta["annotations"][std::string(k_depends_annotation)] = util::join(depends_on, ",");
  }
  return {{"apiVersion", resources::k_landscaper_api_version},
          {"kind", "DeployItem"},
          {"metadata", std::move(meta)},
          {"spec", std::move(spec)}};
}

}  // namespace

tl::unexpected<util::Error> invalid_item(std::string message, std::string hint) {
  return util::fail(ErrorKind::invalid, std::move(message), std::move(hint), "InvalidItem");
}

util::Result<> check_list(std::string_view field, const Json* value) {
  return value == nullptr || value->is_array()
             ? util::Result<>{}
             : invalid_item(cat(field, ": expected a list, found ", value->type_name()));
}

const kube::ApiResource& executions() {
  static const auto resource =
      kube::make_resource(std::string(resources::k_kubist_group), "v1alpha1", "Execution",
                          "executions", true, {"status"});
  return resource;
}

Json execution_owner(const Json& execution) {
  const resources::ObjectView view(execution);
  return {{"apiVersion", resources::k_kubist_api_version},
          {"kind", "Execution"},
          {"name", view.name()},
          {"uid", view.uid()},
          {"controller", true}};
}

std::string deploy_item_name(std::string_view execution, std::string_view item) {
  constexpr std::size_t k_limit = 230;  // room for the suffixes of its Secrets
  const std::string name = util::replace_all(cat(execution, "-", item), "/", "-");
  return name.size() <= k_limit ? name : short_name(name, name, k_limit);
}

Json owned_metadata(const ExecutionInput& input, std::string name) {
  const resources::ObjectView view(input.object);
  Json result = input.owner_metadata;
  result["name"] = std::move(name);
  result["namespace"] = view.ns();
  result["labels"][resources::k_managed_by_label] = "kubist";
  result["labels"][std::string(k_execution_label)] = label_value(view.name());
  result["ownerReferences"] = Json::array({execution_owner(input.object)});
  return result;
}

Json import_secret(Json metadata, const std::string& deploy_item, std::string_view values) {
  metadata["name"] = home_import_name(deploy_item);
  metadata["annotations"][std::string(k_deploy_item_annotation)] =
      cat(data::string_at(metadata, {"namespace"}), "/", deploy_item);
  return internal_secret(std::move(metadata),
                         {{std::string(state::k_imports_key), util::base64_encode(values)}});
}

void refer_to_imports(Json& spec, const std::string& deploy_item) {
  spec["import"] = {
      {"secretRef", {{"name", home_import_name(deploy_item)}, {"key", state::k_imports_key}}}};
}

RenderedItem render_item(const ExecutionInput& input, const Json& item, std::string name,
                         const std::vector<std::string>& depends_on, bool imports) {
  RenderedItem result;
  result.name = std::move(name);
  result.source = item;
  result.imports = imports || has_entries(item, "imports");
  const auto type = deploy_type(data::string_at(item, {"type"}));
  if (type.empty()) {
    return result;
  }
  Json spec = item_spec(input, item, type);
  mark_public(spec, input.spec, result.name);
  if (result.imports) {
    refer_to_imports(spec,
                     deploy_item_name(resources::ObjectView(input.object).name(), result.name));
  }
  result.deploy_item = deploy_item(input, result.name, depends_on, std::move(spec));
  return result;
}

RenderedItem render_part(const ExecutionInput& input, const Json& part, std::string name,
                         const std::vector<std::string>& depends_on, bool imports, Json spec) {
  RenderedItem result;
  result.name = std::move(name);
  result.source = part;
  result.imports =
      imports && !spec.contains("import") && reads_import_secret(data::string_at(spec, {"type"}));
  if (result.imports) {
    refer_to_imports(spec,
                     deploy_item_name(resources::ObjectView(input.object).name(), result.name));
  }
  result.deploy_item = deploy_item(input, result.name, depends_on, std::move(spec));
  return result;
}

util::Result<ItemGroup> render_execution(const ExecutionInput& input) {
  KUBIST_CHECK(check_list("items", data::find_path(input.spec, {"items"})));
  if (const auto problems = resources::item_problems(input.spec); !problems.empty()) {
    return invalid_item(problems[0].message, problems[0].hint);
  }
  ItemGroup group;
  group.order = resources::item_dependencies(input.spec);
  const Json& items = data::array_at(input.spec, {"items"});
  for (std::size_t i = 0; i < items.size(); ++i) {
    std::vector<std::string> depends_on;
    for (const std::size_t before : group.order[i]) {
      depends_on.emplace_back(data::string_at(items[before], {"name"}));
    }
    const Json& item = items[i];
    group.items.push_back(render_item(input, item, std::string(data::string_at(item, {"name"})),
                                      depends_on, has_entries(input.spec, "imports")));
  }
  return group;
}

}  // namespace kubist::deployers
