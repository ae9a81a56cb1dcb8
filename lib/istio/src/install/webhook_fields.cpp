#include <algorithm>

#include <kubist/data/pointer.hpp>
#include <kubist/istio/bundle.hpp>

namespace kubist::istio {

using data::Json;
using resources::ObjectView;

Json without_istiod_fields(Json object, const WebhookConfig* live, bool keep_bundle) {
  const std::string_view kind = ObjectView(object).kind();
  if (kind != "MutatingWebhookConfiguration" && kind != "ValidatingWebhookConfiguration") {
    return object;
  }
  const auto webhooks = object.find("webhooks");
  if (webhooks == object.end() || !webhooks->is_array()) {
    return object;
  }
  for (Json& webhook : *webhooks) {
    const std::string_view name = data::string_at(webhook, {"name"});
    const auto is_closed = [&](const Webhook& each) {
      return each.fail_closed && each.name == name;
    };
    const bool closed =
        live != nullptr && std::any_of(live->webhooks.begin(), live->webhooks.end(), is_closed);
    if (closed || data::string_at(webhook, {"failurePolicy"}) == "Fail") {
      data::erase_path(webhook, {"failurePolicy"});
    }
    if (!keep_bundle) {
      data::erase_path(webhook, {"clientConfig", "caBundle"});
    }
  }
  return object;
}

}  // namespace kubist::istio
