#include <array>
#include <set>

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/upstream.hpp>
#include <kubist/resources/execution_items.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "execution_parts.hpp"

namespace kubist::deployers {
namespace {

using util::cat;
using util::ErrorKind;

// Of an Execution's item; the rest is the DeployItem's config.
constexpr std::array k_item_fields{"name",    "type",         "dependsOn",         "timeout",
                                   "exports", "exportSchema", "updateOnChangeOnly"};

tl::unexpected<util::Error> invalid(std::string_view item, std::string_view message) {
  util::Error error = util::make_error(ErrorKind::invalid, cat("item ", item, ": ", message));
  error.reason = "InvalidItem";
  return util::fail(std::move(error));
}

util::Result<std::string_view> deploy_type(const Json& item) {
  const auto name = data::string_at(item, {"name"});
  const auto type = data::string_at(item, {"type"});
  if (type == "Script") {
    return "kubist.io/script";
  }
  if (type == "Container") {
    return "kubist.io/container";
  }
  return invalid(name, cat("type ", type, " is not available in this version of kubist"));
}

Json metadata(const ExecutionInput& input, std::string name) {
  const resources::ObjectView view(input.object);
  Json result = input.owner_metadata;
  result["name"] = std::move(name);
  result["namespace"] = view.ns();
  result["labels"][resources::k_managed_by_label] = "kubist";
  result["labels"][std::string(k_execution_label)] = execution_label(view.name());
  result["ownerReferences"] = Json::array({execution_owner(input.object)});
  return result;
}

std::string item_name(std::string_view execution, std::string_view item) {
  constexpr std::size_t k_limit = 230;  // room for the suffixes of its Secrets
  std::string name = cat(execution, "-", item);
  return name.size() <= k_limit ? name : short_name(name, name, k_limit);
}

Json import_secret(const ExecutionInput& input, const std::string& deploy_item,
                   const Json& imports) {
  Json meta = metadata(input, home_import_name(deploy_item));
  meta["labels"][std::string(k_internal_label)] = "true";
  meta["annotations"]["kubist.io/deployitem"] =
      cat(data::string_at(input.object, {"metadata", "namespace"}), "/", deploy_item);
  return {
      {"apiVersion", "v1"},
      {"kind", "Secret"},
      {"type", "Opaque"},
      {"metadata", std::move(meta)},
      {"data", {{std::string(state::k_imports_key), util::base64_encode(data::to_json(imports))}}}};
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
  const Json* exports = data::find_path(execution_spec, {"exports"});
  if (exports == nullptr) {
    return;
  }
  for (const Json& entry : *exports) {
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

}  // namespace

const kube::ApiResource& executions() {
  static const kube::ApiResource resource{.group = std::string(resources::k_kubist_group),
                                          .version = "v1alpha1",
                                          .kind = "Execution",
                                          .plural = "executions",
                                          .singular = "execution",
                                          .short_names = {"kexec"},
                                          .categories = {},
                                          .verbs = {},
                                          .subresources = {"status"},
                                          .namespaced = true};
  return resource;
}

std::string execution_label(std::string_view name) {
  constexpr std::size_t k_label_limit = 63;
  return name.size() <= k_label_limit ? std::string(name) : short_name(name, name);
}

Json execution_owner(const Json& execution) {
  const resources::ObjectView view(execution);
  return {{"apiVersion", resources::k_kubist_api_version},
          {"kind", "Execution"},
          {"name", view.name()},
          {"uid", view.uid()},
          {"controller", true}};
}

util::Result<std::vector<RenderedItem>> render_execution(const ExecutionInput& input,
                                                         const Json& imports) {
  const Json* items = data::find_path(input.spec, {"items"});
  if (const auto problems = resources::item_problems(input.spec); !problems.empty()) {
    util::Error error = util::make_error(ErrorKind::invalid, problems[0].message, problems[0].hint);
    error.reason = "InvalidItem";
    return util::fail(std::move(error));
  }
  std::vector<RenderedItem> rendered;
  for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
    const Json& item = (*items)[i];
    KUBIST_TRY(const auto type, deploy_type(item));
    RenderedItem result;
    result.name = data::string_at(item, {"name"});
    const std::string name =
        item_name(data::string_at(input.object, {"metadata", "name"}), result.name);
    Json spec = item_spec(input, item, type);
    mark_public(spec, input.spec, result.name);
    if (!imports.empty()) {
      result.import_secret = import_secret(input, name, imports);
      spec["import"] = {
          {"secretRef", {{"name", home_import_name(name)}, {"key", state::k_imports_key}}}};
    }
    if (input.foreign_crd) {
      spec = to_upstream_spec(
          std::move(spec), std::string(data::string_at(input.object, {"metadata", "namespace"})));
    }
    Json meta = metadata(input, name);
    meta["annotations"]["kubist.io/item"] = result.name;
    result.deploy_item = {{"apiVersion", resources::k_landscaper_api_version},
                          {"kind", "DeployItem"},
                          {"metadata", std::move(meta)},
                          {"spec", std::move(spec)}};
    const std::string hash = util::sha256_hex(data::to_json(result.deploy_item));
    resources::set_annotation(result.deploy_item, k_rendered_annotation, hash);
    rendered.push_back(std::move(result));
  }
  return rendered;
}

std::vector<std::string> to_prune(const std::vector<Json>& present,
                                  const std::vector<RenderedItem>& wanted) {
  std::set<std::string, std::less<>> names;
  for (const RenderedItem& item : wanted) {
    names.emplace(data::string_at(item.deploy_item, {"metadata", "name"}));
  }
  std::vector<std::string> result;
  for (const Json& object : present) {
    const auto name = data::string_at(object, {"metadata", "name"});
    if (!names.contains(name)) {
      result.emplace_back(name);
    }
  }
  return result;
}

}  // namespace kubist::deployers
