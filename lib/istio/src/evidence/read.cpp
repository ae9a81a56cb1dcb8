#include <kubist/data/pointer.hpp>
#include <kubist/istio/read.hpp>
#include <kubist/util/base64.hpp>

#include "evidence/read_support.hpp"

namespace kubist::istio {

using data::Json;
using resources::ObjectView;

namespace {

Webhook read_webhook(const Json& entry) {
  Webhook webhook;
  webhook.name = data::string_at(entry, {"name"});
  webhook.target.url = data::string_at(entry, {"clientConfig", "url"});
  webhook.target.ns = data::string_at(entry, {"clientConfig", "service", "namespace"});
  webhook.target.name = data::string_at(entry, {"clientConfig", "service", "name"});
  webhook.ca_bundle =
      util::base64_decode(data::string_at(entry, {"clientConfig", "caBundle"})).value_or("");
  webhook.fail_closed = data::string_at(entry, {"failurePolicy"}, "Fail") == "Fail";
  for (const auto& [key, selector] : {std::pair{"namespaceSelector", &webhook.namespace_selector},
                                      std::pair{"objectSelector", &webhook.object_selector}}) {
    if (const Json* found = data::find_path(entry, {key}); found != nullptr) {
      *selector = *found;
    }
  }
  return webhook;
}

}  // namespace

Crd read_crd(const Json& object) {
  const ObjectView view(object);
  Crd crd;
  crd.name = view.name();
  crd.created = time_of(view.creation_timestamp());
  const auto conditions = view.conditions();
  if (conditions.empty()) {
    return crd;  // only metadata
  }
  const auto established = view.condition("Established");
  const auto accepted = view.condition("NamesAccepted");
  crd.established = established && established->status == "True";
  if (!crd.established) {
    crd.reason = accepted && accepted->status == "False" ? accepted->reason
                 : established                           ? established->reason
                                                         : "NotEstablished";
  }
  if (const auto ending = view.condition("Terminating"); ending && ending->status == "True") {
    crd.established = false;
    crd.reason = "Terminating";
  }
  return crd;
}

std::optional<WebhookConfig> read_webhook_config(const Json& object) {
  const ObjectView view(object);
  WebhookConfig config;
  config.name = view.name();
  config.revision = revision_of(view);
  config.tag = view.label("istio.io/tag");
  bool ours = false;
  for (const Json& entry : data::array_at(object, {"webhooks"})) {
    config.webhooks.push_back(read_webhook(entry));
    ours |= config.webhooks.back().name.ends_with(".istio.io");
  }
  return ours ? std::optional(std::move(config)) : std::nullopt;
}

SailObject read_sail(const Json& object) {
  const ObjectView view(object);
  SailObject sail;
  sail.kind = view.kind();
  sail.ns = view.ns();
  sail.name = view.name();
  sail.state = data::string_at(object, {"status", "state"});
  const auto ready = view.condition("Ready");
  sail.ready = ready && ready->status == "True" && view.observed_generation() >= view.generation();
  return sail;
}

}  // namespace kubist::istio
