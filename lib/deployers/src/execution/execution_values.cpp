#include <algorithm>

#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "execution/execution_parts.hpp"
#include "item/requests.hpp"

// What goes into an Execution and what comes out.
namespace kubist::deployers {
namespace {

using util::cat;
using util::ErrorKind;

tl::unexpected<util::Error> bad_import(ErrorKind kind, std::string_view reason,
                                       std::string_view import, std::string_view message) {
  return util::fail(kind, cat("import ", import, ": ", message), "", std::string(reason));
}

tl::unexpected<util::Error> missing(std::string_view import, std::string_view message) {
  return bad_import(ErrorKind::not_found, "ImportNotFound", import, message);
}

util::Result<Json> from_secret(World& world, const std::string& ns, std::string_view import,
                               const Json& reference) {
  const auto name = data::string_at(reference, {"name"});
  const auto key = data::string_at(reference, {"key"});
  KUBIST_TRY(const auto secret, find_source(world, kube::well_known::secrets(), ns, name));
  if (!secret) {
    return missing(import, cat("Secret ", ns, "/", name, " does not exist"));
  }
  if (is_off_limits(resources::ObjectView(*secret))) {
    return bad_import(
        ErrorKind::invalid, "SecretNotAllowed", import,
        cat("Secret ", ns, "/", name,
            " is kubist's own or gives access to a cluster, executions cannot have it"));
  }
  const auto bytes = util::base64_decode(data::string_at(*secret, {"data", key}));
  if (data::find_path(*secret, {"data", key}) == nullptr || !bytes) {
    return missing(import, cat("Secret ", ns, "/", name, " has no key ", key));
  }
  return Json(*bytes);
}

util::Result<Json> from_config_map(World& world, const std::string& ns, std::string_view import,
                                   const Json& reference) {
  const auto name = data::string_at(reference, {"name"});
  const auto key = data::string_at(reference, {"key"});
  KUBIST_TRY(const auto map, find_source(world, kube::well_known::config_maps(), ns, name));
  if (!map) {
    return missing(import, cat("ConfigMap ", ns, "/", name, " does not exist"));
  }
  const Json* value = data::find_path(*map, {"data", key});
  if (value == nullptr) {
    return missing(import, cat("ConfigMap ", ns, "/", name, " has no key ", key));
  }
  return *value;
}

/// Does it say that it exports that?
bool is_exported(const Json& execution, std::string_view wanted) {
  const Json& all = data::array_at(execution, {"spec", "exports"});
  return std::any_of(all.begin(), all.end(),
                     [&](const Json& entry) { return data::string_at(entry, {"name"}) == wanted; });
}

util::Result<Json> from_execution(World& world, const std::string& ns, std::string_view import,
                                  const Json& reference) {
  const auto name = data::string_at(reference, {"name"});
  const auto wanted = data::string_at(reference, {"export"});
  KUBIST_TRY(const auto execution, find_source(world, executions(), ns, name));
  if (!execution) {
    return missing(import, cat("Execution ", ns, "/", name, " does not exist"));
  }
  const auto secret_name = data::string_at(*execution, {"status", "exports", "secretRef", "name"});
  if (secret_name.empty() && world.writer.dry() && is_exported(*execution, wanted)) {
    return bad_import(ErrorKind::not_ready, k_import_later, import,
                      cat("known when Execution ", ns, "/", name, " has run"));
  }
  if (secret_name.empty()) {
    return missing(import, cat("Execution ", ns, "/", name, " has exported nothing yet"));
  }
  KUBIST_TRY(const auto secret,
             world.home->find(kube::well_known::secrets(), ns, secret_name, world.stop));
  // Who may write statuses may name any Secret there.
  const std::string text =
      secret && !is_off_limits(resources::ObjectView(*secret))
          ? util::base64_decode(data::string_at(*secret, {"data", state::k_export_key}))
                .value_or("")
          : "";
  KUBIST_TRY(const Json values, json_of_secret(text, cat("exports of Execution ", name)));
  const auto value = values.find(wanted);
  if (value == values.end()) {
    return missing(import, cat("Execution ", ns, "/", name, " has no export ", wanted));
  }
  return *value;
}

/// The value under a key, which may be a path with dots.
const Json* value_at(const Json& values, std::string_view key) {
  if (!values.is_object()) {
    return nullptr;
  }
  if (const auto exact = values.find(key); exact != values.end()) {
    return &*exact;
  }
  for (std::size_t dot = key.find('.'); dot != std::string_view::npos;
       dot = key.find('.', dot + 1)) {
    if (const auto inner = values.find(key.substr(0, dot)); inner != values.end()) {
      if (const Json* found = value_at(*inner, key.substr(dot + 1)); found != nullptr) {
        return found;
      }
    }
  }
  return nullptr;
}

util::Result<Json> from_item(std::string_view import, const Json& reference, const Json& by_item) {
  const auto name = data::string_at(reference, {"name"});
  const auto wanted = data::string_at(reference, {"export"});
  const auto exports = by_item.find(name);
  const Json* value = exports == by_item.end() ? nullptr : value_at(*exports, wanted);
  if (value == nullptr) {
    return missing(import, cat("item ", name, " has no export ", wanted));
  }
  return *value;
}

util::Result<Json> resolve(World& world, const std::string& ns, const Json& import,
                           const Json& by_item) {
  const auto name = data::string_at(import, {"name"});
  if (import.contains("value")) {
    return import["value"];
  }
  if (import.contains("secretRef")) {
    return from_secret(world, ns, name, import["secretRef"]);
  }
  if (import.contains("configMapRef")) {
    return from_config_map(world, ns, name, import["configMapRef"]);
  }
  if (import.contains("executionRef")) {
    return from_execution(world, ns, name, import["executionRef"]);
  }
  if (import.contains("itemRef")) {
    return from_item(name, import["itemRef"], by_item);
  }
  return missing(name, "it names no source");
}

}  // namespace

bool is_later(const util::Result<Json>& imports) {
  return !imports && imports.error().reason == k_import_later;
}

util::Result<Json> resolve_imports(World& world, const std::string& ns, const Json* imports,
                                   const Json& by_item) {
  Json values = Json::object();
  KUBIST_CHECK(check_list("imports", imports));
  for (std::size_t i = 0; imports != nullptr && i < imports->size(); ++i) {
    const Json& import = (*imports)[i];
    KUBIST_TRY(values[std::string(data::string_at(import, {"name"}))],
               resolve(world, ns, import, by_item));
  }
  return values;
}

namespace {

/// The Execution's exports from those of its items.
struct CollectedExports {
  Json values = Json::object();
  Json public_values = Json::object();
};

/// `by_item`: the exports of each item by its name. Invalid, reason ExportNotFound.
util::Result<CollectedExports> map_exports(const Json& spec, const Json& by_item) {
  CollectedExports result;
  const Json* exports = data::find_path(spec, {"exports"});
  KUBIST_CHECK(check_list("exports", exports));
  for (std::size_t i = 0; exports != nullptr && i < exports->size(); ++i) {
    const Json& entry = (*exports)[i];
    const std::string name(data::string_at(entry, {"name"}));
    const auto item = data::string_at(entry, {"item"});
    const auto key = data::string_at(entry, {"key"}, name);
    const auto found = by_item.find(item);
    const Json* value = found == by_item.end() ? nullptr : value_at(*found, key);
    if (value == nullptr) {
      return util::fail(ErrorKind::invalid,
                        cat("export ", name, ": item ", item, " exports no ", key), "",
                        "ExportNotFound");
    }
    result.values[name] = *value;
    if (data::bool_at(entry, {"public"})) {
      result.public_values[name] = *value;
    }
  }
  return result;
}

util::Result<> keep_execution_exports(World& world, const ExecutionInput& input,
                                      const CollectedExports& exports, Json& status) {
  const std::string name = execution_exports_name(name_of(input.object));
  Json metadata = owned_metadata(input, name);
  metadata["labels"].erase(std::string(k_execution_label));
  const std::string text = data::to_json(exports.values);
  KUBIST_CHECK(ensure_secret(world, {*world.home},
                             opaque_secret(std::move(metadata), {{std::string(state::k_export_key),
                                                                  util::base64_encode(text)}})));
  status["exports"] = {{"secretRef", {{"name", name}}}, {"value", exports.public_values}};
  return {};
}

}  // namespace

util::Result<> keep_exports(World& world, const ExecutionInput& input,
                            const std::vector<ItemRun>& runs, ExecutionOutcome& outcome) {
  if (data::find_path(input.spec, {"exports"}) == nullptr) {
    return {};
  }
  Json by_item = Json::object();
  for (const ItemRun& run : runs) {
    if (!run.exports.is_null()) {
      by_item[run.name] = run.exports;
    }
  }
  const auto exports = map_exports(input.spec, by_item);
  if (exports) {
    return keep_execution_exports(world, input, *exports, outcome.status);
  }
  Json status = std::move(outcome.status);
  outcome = outcome_of(exports.error());
  outcome.status = std::move(status);
  return {};
}

}  // namespace kubist::deployers
