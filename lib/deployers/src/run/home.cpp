#include "run/home.hpp"

#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "item/log_store.hpp"
#include "item/requests.hpp"
#include "pod/pod_parts.hpp"

namespace kubist::deployers {
namespace {

using util::cat;
using util::ErrorKind;

tl::unexpected<util::Error> import_error(ErrorKind kind, std::string_view reason,
                                         std::string message) {
  return util::fail(kind, std::move(message), "", std::string(reason));
}

Json home_secret(const Item& item, const std::string& name, Json data) {
  return internal_secret(
      {{"name", name},
       {"namespace", item.ns},
       {"labels", {{std::string(resources::k_managed_by_label), "kubist"}}},
       {"annotations", {{k_deploy_item_annotation, cat(item.ns, "/", item.name)}}},
       {"ownerReferences", Json::array({owner_reference(item)})}},
      std::move(data));
}

/// May this item read that Secret? Internal ones only where they were made for it.
util::Result<> check_import_secret(const Item& item, const Json& secret) {
  const resources::ObjectView view(secret);
  const bool own = view.annotation(k_deploy_item_annotation) == cat(item.ns, "/", item.name) &&
                   view.name() == home_import_name(item.name);
  if (is_off_limits(view) && !own) {
    return import_error(ErrorKind::invalid, "SecretNotAllowed",
                        cat("spec.import.secretRef: Secret ", item.ns, "/", item.import_secret,
                            " is kubist's own or gives access to a cluster, items cannot have it"));
  }
  return {};
}

}  // namespace

util::Result<Json> read_imports(World& world, const Item& item) {
  if (item.import_secret.empty()) {
    return item.import_values.value_or(Json());
  }
  KUBIST_TRY(const auto secret,
             find_source(world, kube::well_known::secrets(), item.ns, item.import_secret));
  if (!secret) {
    return import_error(
        ErrorKind::not_found, "ImportNotFound",
        cat("spec.import.secretRef: Secret ", item.ns, "/", item.import_secret, " does not exist"));
  }
  KUBIST_CHECK(check_import_secret(item, *secret));
  const Json data = secret->value("data", Json::object());
  if (item.import_key.empty()) {
    Json values = Json::object();
    for (const auto& [key, value] : data.items()) {
      values[key] = util::base64_decode(data::string_at(value, {})).value_or("");
    }
    return values;
  }
  if (!data.contains(item.import_key)) {
    return import_error(ErrorKind::not_found, "ImportNotFound",
                        cat("spec.import.secretRef: Secret ", item.ns, "/", item.import_secret,
                            " has no key ", item.import_key));
  }
  const std::string text =
      util::base64_decode(data::string_at(data, {item.import_key})).value_or("");
  auto document = data::read_document(text, item.import_key);
  if (!document) {
    // The reader's message may quote the text, which is secret.
    return import_error(ErrorKind::invalid, "InvalidImport",
                        cat("spec.import.secretRef: key ", item.import_key, " of Secret ", item.ns,
                            "/", item.import_secret, " is not one JSON or YAML document (line ",
                            document.error().pos.line, ")"));
  }
  return std::move(document->value);
}

std::string work_hash(const Item& item, const Deployer& deployer, const Settings& settings,
                      const Json& imports, const Place& place) {
  Json work{{"work", deployer.identity(item, settings)},
            {"imports", imports},
            {"target", item.target},
            {"namespace", place.ns},
            {"cluster", place.cluster}};
  if (item.export_secret != home_export_name(item.name) || item.export_key != state::k_export_key) {
    work["export"] = {item.export_secret, item.export_key};  // the default one is in no older hash
  }
  return util::sha256_hex(data::to_json(work));
}

namespace {

/// Deletes the Secret that had its exports under another name. Who may write statuses may name any
/// Secret there: only one that was made for the item goes.
util::Result<> drop_former(World& world, const Item& item, const Json& secret) {
  const std::string former(
      data::string_at(item.object, {"status", "exports", "secretRef", "name"}));
  if (former.empty() || former == item.export_secret) {
    return {};
  }
  const kube::Target home{*world.home};
  KUBIST_TRY(const auto live, home.client.find(kube::well_known::secrets(), item.ns, former));
  const resources::ObjectView view(live ? *live : secret);
  const bool its = view.name() == former && check_secret_owner(*live, secret).has_value() &&
                   view.annotation(k_deploy_item_annotation) == cat(item.ns, "/", item.name);
  if (its && !is_off_limits(view)) {
    KUBIST_CHECK(world.writer.remove(home, kube::well_known::secrets(), item.ns, former,
                                     std::string(view.uid())));
  }
  return {};
}

}  // namespace

util::Result<ExportResult> keep_exports(World& world, const Item& item, const std::string& bytes) {
  ExportResult result;
  result.secret = item.export_secret;
  result.key = item.export_key;
  result.ns = item.ns;
  Json secret = home_secret(item, result.secret, {{result.key, util::base64_encode(bytes)}});
  secret["metadata"]["labels"].erase(std::string(k_internal_label));  // users read this one
  KUBIST_TRY(const auto present,
             world.home->find(kube::well_known::secrets(), item.ns, result.secret, world.stop));
  result.changed = !present || data::string_at(*present, {"data", result.key}) !=
                                   data::string_at(secret, {"data", result.key});
  KUBIST_CHECK(ensure_secret(world, {*world.home}, secret, present));
  KUBIST_CHECK(drop_former(world, item, secret));
  KUBIST_TRY(const Json value, json_of_secret(bytes, "exports"));
  for (const std::string& key : item.public_exports) {
    if (const auto found = value.find(key); found != value.end()) {
      result.public_values[key] = *found;
    }
  }
  return result;
}

util::Result<> keep_log(World& world, const Item& item, const std::string& job,
                        const std::string& text) {
  const std::string name = home_logs_name(item.name);
  KUBIST_TRY(const auto present,
             world.home->find(kube::well_known::secrets(), item.ns, name, world.stop));
  const KeptLog newest{job, util::format_time(world.clock->now()), text};
  const Json data = log_secret_data(present.value_or(Json()), newest);
  const Json secret = home_secret(item, name, data);
  if (const auto own = present ? check_secret_owner(*present, secret) : util::Result<>(); !own) {
    if (world.progress) {  // without a log the job is as good as it was
      world.progress(cat("the log of ", item.name, " is not kept: ", own.error().message));
    }
    return {};
  }
  KUBIST_CHECK(ensure_secret(world, {*world.home}, secret, present));
  return {};
}

}  // namespace kubist::deployers
