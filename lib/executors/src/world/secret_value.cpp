#include "world/secret_value.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

namespace kubist::executors {

using util::cat;

namespace {

/// Whether somebody keeps the Secret from everything but this use, by the label that kubist's own
/// have.
bool is_kept_for(std::string_view use, const resources::ObjectView& secret) {
  return !use.empty() && secret.label(deployers::k_internal_label) == use &&
         !secret.has_finalizer(resources::k_in_use_finalizer);
}

}  // namespace

util::Result<std::string> secret_value(kube::Client& client, const std::string& ns,
                                       const std::string& name, const std::string& key,
                                       const std::stop_token& stop, std::string_view use) {
  const std::string what = cat("Secret ", ns, '/', name);
  KUBIST_TRY(const auto secret, client.find(kube::well_known::secrets(), ns, name, stop));
  if (secret && deployers::is_off_limits(resources::ObjectView(*secret)) &&
      !is_kept_for(use, resources::ObjectView(*secret))) {
    return util::fail(util::make_error(
        util::ErrorKind::forbidden,
        cat(what, " is kubist's own or gives access to a cluster, it is sent nowhere"),
        "Name a Secret that you made for this.", "SecretNotAllowed"));
  }
  if (secret && deployers::is_export_by_choice(resources::ObjectView(*secret))) {
    return util::fail(util::make_error(
        util::ErrorKind::forbidden,
        cat(what, " was made for a DeployItem, under a name of its choice: it is sent nowhere"),
        "Let the item export it without spec.export.secretRef.", "SecretNotAllowed"));
  }
  const data::Json* value = secret ? data::find_path(*secret, {"data", key}) : nullptr;
  auto text = value != nullptr && value->is_string()
                  ? util::base64_decode(value->get_ref<const std::string&>())
                  : std::nullopt;
  if (!text) {
    return util::fail(util::ErrorKind::not_found,
                      secret ? cat(what, " has no key ", key) : cat(what, " does not exist"), "",
                      secret ? "SecretKeyNotFound" : "SecretNotFound");
  }
  return *std::move(text);
}

}  // namespace kubist::executors
