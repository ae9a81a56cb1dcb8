#include <algorithm>

#include <kubist/apply/read.hpp>
#include <kubist/istio/stages.hpp>
#include <kubist/util/text.hpp>

#include "evidence/questions.hpp"
#include "judge/model.hpp"
#include "uninstall/uninstall_steps.hpp"

namespace kubist::istio {

using resources::ObjectView;
using util::cat;

namespace {

const RevisionView* view_of(const Model& model, const Record& record) {
  for (const RevisionView& each : model.revisions) {
    if (each.name == record.revision && (each.ns == record.ns || each.ns.empty())) {
      return &each;
    }
  }
  return nullptr;
}

// NAME-HASH-ID of a Deployment, NAME-ID of a DaemonSet.
bool made_by(const Proxy& proxy, const resources::ObjectRef& workload) {
  if (proxy.ns != workload.ns || (workload.kind != "Deployment" && workload.kind != "DaemonSet")) {
    return false;
  }
  std::string_view owner = proxy.pod;
  for (int cut = workload.kind == "Deployment" ? 2 : 1; cut > 0; --cut) {
    owner = owner.substr(0, std::min(owner.rfind('-'), owner.size()));
  }
  return owner == workload.name;
}

void add_users(const RevisionView& view, const std::vector<apply::Owned>& going,
               std::vector<Obstacle>& found) {
  const std::string next = "move them to another revision or out of the mesh, or --force";
  for (const std::string& ns : view.namespaces) {
    found.push_back(
        {cat("in-use:", ns), cat("the pods of namespace ", ns, " belong to its mesh"), next});
  }
  std::vector<std::string> pods;
  for (const Proxy* proxy : view.proxies) {
    const bool own = std::any_of(going.begin(), going.end(), [&](const apply::Owned& each) {
      return made_by(*proxy, each.recorded.ref);
    });
    if (!own) {
      pods.push_back(cat(proxy->ns, '/', proxy->pod));
    }
  }
  if (!pods.empty()) {
    found.push_back({cat("proxies:", pods.size()),
                     cat(pods.size(), " proxies get their configuration from it: ", some_of(pods)),
                     next});
  }
}

}  // namespace

util::Result<std::vector<LeadingWebhook>> leading_webhooks(
    kube::Client& client, const Evidence& evidence, const std::vector<apply::Owned>& recorded,
    const Record& record, const std::stop_token& stop) {
  std::vector<LeadingWebhook> found;
  for (const apply::Owned& each : recorded) {
    if (stage_of(each.live) == Stage::webhooks) {
      found.push_back({each.recorded.ref.name, reason_to_keep(each, record, {}).empty(),
                       apply::target_of(each)});
    }
  }
  const Model model = make_model(evidence, {}, built_in_support());
  const RevisionView* view = view_of(model, record);
  std::vector<apply::Lookup> lookups;
  std::vector<bool> tags;
  const auto look = [&](const std::vector<const WebhookConfig*>& configs,
                        const kube::ApiResource& resource) {
    for (const WebhookConfig* config : configs) {
      const bool known = std::any_of(found.begin(), found.end(), [&](const LeadingWebhook& each) {
        return each.name == config->name && each.target.resource.kind == resource.kind;
      });
      if (!known) {
        lookups.push_back({resource, "", config->name});
        tags.push_back(!config->tag.empty());
      }
    }
  };
  if (view != nullptr) {
    look(view->injectors, kube::well_known::mutating_webhooks());
    look(view->validators, kube::well_known::validating_webhooks());
  }
  KUBIST_TRY(const auto live, apply::read_objects(client, lookups, stop));
  for (std::size_t at = 0; at < live.size(); ++at) {
    if (live[at]) {
      const ObjectView object(*live[at]);
      found.push_back(
          {lookups[at].name,
           tags[at],
           {lookups[at].resource, "", lookups[at].name, std::string(object.uid()), {}}});
    }
  }
  // The names of a revision's own say so; a tag's or the default validator's do not.
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    const auto own = [](const LeadingWebhook& each) {
      return each.name.starts_with("istio-sidecar-injector") ||
             each.name.starts_with("istio-validator");
    };
    return !own(a) && own(b);
  });
  return found;
}

std::vector<Obstacle> uses_of(const Evidence& evidence, const Record& record,
                              const std::vector<apply::Owned>& going,
                              const std::vector<LeadingWebhook>& webhooks, bool force) {
  std::vector<Obstacle> found;
  for (const Unread& each : unread(evidence)) {
    found.push_back({cat("unknown:", each.code), each.message,
                     "who uses it must be known before it is taken away"});
  }
  if (force) {
    return found;
  }
  const Model model = make_model(evidence, {}, built_in_support());
  if (const RevisionView* view = view_of(model, record); view != nullptr) {
    add_users(*view, going, found);
  }
  for (const LeadingWebhook& each : webhooks) {
    if (!each.ours) {
      found.push_back({cat("foreign-webhook:", each.name),
                       cat(each.target.resource.kind, ' ', each.name,
                           " leads to this istiod and is not kubist's"),
                       "delete it, or let this delete it with --force"});
    }
  }
  return found;
}

}  // namespace kubist::istio
