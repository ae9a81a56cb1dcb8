#include <kubist/data/pointer.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/deployers/upstream.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/state/contract.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::deployers {
namespace {

using util::ErrorKind;

constexpr std::size_t k_hash_length = 10;  ///< of short_name()

util::Error invalid(const Item& item, std::string_view reason, std::string_view message) {
  return util::make_error(ErrorKind::invalid,
                          util::cat("DeployItem ", item.ns, "/", item.name, ": ", message), "",
                          std::string(reason));
}

/// What is longer overflows deadlines, Kubernetes' and those of kubist's clock.
constexpr std::chrono::seconds k_longest_timeout = std::chrono::hours(24) * 3650;

util::Result<> read_timeout(const Json& spec, Item& item) {
  const std::string_view text = data::string_at(spec, {"timeout"});
  if (text.empty()) {
    return {};
  }
  if (text == "none") {
    item.timeout.reset();
    return {};
  }
  const auto duration = util::parse_duration(text);
  if (!duration || duration->count() <= 0) {
    return util::fail(
        invalid(item, "InvalidTimeout",
                util::cat("spec.timeout \"", text, "\" is no duration such as 90s, 10m, or none")));
  }
  item.timeout = std::clamp(std::chrono::duration_cast<std::chrono::seconds>(*duration),
                            std::chrono::seconds(1), k_longest_timeout);
  return {};
}

util::Result<> read_config(const Json& spec, Item& item) {
  const Json* config = data::find_path(spec, {"config"});
  const Json* early = data::find_path(spec, {"providerConfig"});
  if (config != nullptr && early != nullptr) {
    return util::fail(invalid(item, "InvalidConfiguration",
                              "spec.config and spec.providerConfig are two names for one field, "
                              "give only one"));
  }
  if (config == nullptr) {
    config = early;
  }
  if (config != nullptr) {
    item.config = *config;
  }
  if (!item.config.is_object()) {
    return util::fail(invalid(item, "InvalidConfiguration", "spec.config must be a map"));
  }
  if (const auto values = item.config.find("importValues"); values != item.config.end()) {
    item.import_values = *values;
    item.config.erase(values);
  }
  item.config.erase("apiVersion");
  item.config.erase("kind");
  return {};
}

}  // namespace

bool is_off_limits(const resources::ObjectView& secret) {
  return secret.labels().contains(k_internal_label) ||
         secret.has_finalizer(resources::k_in_use_finalizer);
}

bool is_export_by_choice(const resources::ObjectView& secret) {
  const std::string_view item = secret.annotation(k_deploy_item_annotation);
  return !item.empty() && secret.name() != home_export_name(item.substr(item.find('/') + 1));
}

bool is_off_limits_name(std::string_view secret) {
  for (const std::string_view suffix : {"-import", "-logs", "-last", "-template"}) {
    if (secret.ends_with(suffix)) {
      return true;  // beside the item or the Execution
    }
  }
  const auto digits = secret.find_last_not_of("0123456789");  // of a chunk: "-state-a12"
  if (secret.substr(0, digits + 1).ends_with("-state-a") ||
      secret.substr(0, digits + 1).ends_with("-state-b")) {
    secret = secret.substr(0, digits - 1);
  }
  const auto dash = secret.rfind('-');
  if (dash == std::string_view::npos || dash < k_hash_length) {
    return false;
  }
  const std::string_view suffix = secret.substr(dash);
  const std::string_view hash = secret.substr(dash - k_hash_length, k_hash_length);
  return (suffix == "-input" || suffix == "-export" || suffix == "-token" || suffix == "-state") &&
         hash.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

const kube::ApiResource& deploy_items() {
  static const auto resource = kube::make_resource("landscaper.gardener.cloud", "v1alpha1",
                                                   "DeployItem", "deployitems", true, {"status"});
  return resource;
}

namespace {

/// The Secret for its exports, by default one of its own name. Whoever takes a name that kubist
/// would give another item's takes that item's exports from it.
util::Result<> read_export(const Json& spec, Item& item) {
  const std::string own = home_export_name(item.name);
  item.export_secret = data::string_at(spec, {"export", "secretRef", "name"}, own);
  item.export_key = data::string_at(spec, {"export", "secretRef", "key"}, state::k_export_key);
  const std::string& name = item.export_secret;
  const bool anothers = name.ends_with("-export") || name.ends_with("-exports");
  return name != own && (anothers || is_off_limits_name(name))
             ? util::fail(invalid(
                   item, "SecretNotAllowed",
                   util::cat("spec.export.secretRef: ", name, " is a name that kubist gives")))
             : util::Result<>{};
}

}  // namespace

util::Result<Item> parse_item(const Json& object) {
  const resources::ObjectView view(object);
  const Json spec = from_upstream_spec(view.spec());
  Item item;
  item.name = view.name();
  item.ns = view.ns();
  item.uid = view.uid();
  item.generation = view.generation();
  item.deleting = !view.deletion_timestamp().empty();
  item.without_uninstall =
      view.annotation(k_without_uninstall) == "true" || view.annotation(k_force_cleanup) == "true";
  item.type = data::string_at(spec, {"type"});
  item.target = data::string_at(spec, {"target", "name"});
  item.import_secret = data::string_at(spec, {"import", "secretRef", "name"});
  item.import_key = data::string_at(spec, {"import", "secretRef", "key"});
  item.update_on_change_only = data::bool_at(spec, {"updateOnChangeOnly"});
  if (const Json* schema = data::find_path(spec, {"exportSchema"}); schema != nullptr) {
    item.export_schema = *schema;
  }
  for (const Json& entry : data::array_at(spec, {"exports"})) {
    if (data::bool_at(entry, {"public"})) {
      item.public_exports.emplace_back(data::string_at(entry, {"name"}));
    }
  }
  item.object = object;
  item.object["status"] = sound_status(object);
  if (item.type.empty()) {
    return util::fail(invalid(item, "InvalidConfiguration", "spec.type is missing"));
  }
  KUBIST_CHECK(read_timeout(spec, item));
  KUBIST_CHECK(read_export(spec, item));
  KUBIST_CHECK(read_config(spec, item));
  return item;
}

std::string service_account_of(const Json& deploy_item) {
  return std::string(data::string_at(from_upstream_spec(resources::ObjectView(deploy_item).spec()),
                                     {"serviceAccountName"}));
}

bool runs_at_home(const Item& item) {
  return data::string_at(item.config, {"placement"}) == "Home";
}

std::string short_name(std::string_view base, std::string_view identity, std::size_t limit) {
  std::string head(base.substr(0, limit - k_hash_length - 1));
  std::replace(head.begin(), head.end(), '.', '-');
  while (!head.empty() && head.back() == '-') {
    head.pop_back();
  }
  return util::cat(head, "-", util::sha256_hex(identity).substr(0, k_hash_length));
}

namespace {

std::string home_name(std::string_view owner, std::string_view suffix) {
  constexpr std::size_t k_limit = 253;
  std::string name = util::cat(owner, suffix);
  return name.size() <= k_limit ? name : util::cat(short_name(owner, owner, 240), suffix);
}

}  // namespace

std::string label_value(std::string_view name) {
  constexpr std::size_t k_label_limit = 63;
  return name.size() <= k_label_limit ? std::string(name) : short_name(name, name, k_label_limit);
}

std::string home_export_name(std::string_view item) { return home_name(item, "-export"); }
std::string home_logs_name(std::string_view item) { return home_name(item, "-logs"); }
std::string home_import_name(std::string_view item) { return home_name(item, "-import"); }
std::string home_last_name(std::string_view item) { return home_name(item, "-last"); }
std::string execution_exports_name(std::string_view execution) {
  return home_name(execution, "-exports");
}

}  // namespace kubist::deployers
