#include "judge/model.hpp"

#include <algorithm>

#include <kubist/istio/read.hpp>
#include <kubist/util/text.hpp>

#include "evidence/injection.hpp"

namespace kubist::istio {

using util::cat;

std::string some_of(const std::vector<std::string>& names, std::size_t most) {
  if (names.size() <= most) {
    return util::join(names, ", ");
  }
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(most);
  return cat(util::join({names.begin(), end}, ", "), " and ", names.size() - most, " more");
}

std::vector<const Webhook*> RevisionView::webhooks() const {
  std::vector<const Webhook*> all;
  for (const auto* configs : {&injectors, &validators}) {
    for (const WebhookConfig* each : *configs) {
      for (const Webhook& webhook : each->webhooks) {
        if (webhook.name.ends_with(".istio.io")) {
          all.push_back(&webhook);
        }
      }
    }
  }
  return all;
}

bool RevisionView::remote() const {
  if (plane != nullptr) {
    return false;
  }
  const auto elsewhere = [](const ControlService* service) {
    return !service->external_name.empty() || !service->has_selector;
  };
  const auto all = webhooks();
  return std::any_of(services.begin(), services.end(), elsewhere) ||
         std::any_of(all.begin(), all.end(),
                     [](const Webhook* webhook) { return !webhook->target.url.empty(); });
}

const ControlService* Model::service(const std::string& ns, const std::string& name) const {
  for (const ControlService& service : items_of(evidence.services)) {
    if (service.ns == ns && service.name == name) {
      return &service;
    }
  }
  return nullptr;
}

bool Model::points_nowhere(const Webhook& webhook) const {
  return evidence.services && webhook.target.url.empty() &&
         service(webhook.target.ns, webhook.target.name) == nullptr;
}

const RevisionView* Model::revision_of(std::string_view wanted) const {
  for (const RevisionView& revision : revisions) {
    if (revision.name == wanted ||
        std::find(revision.tags.begin(), revision.tags.end(), wanted) != revision.tags.end()) {
      return &revision;
    }
  }
  return nullptr;
}

namespace {

class Builder {
 public:
  explicit Builder(Model& model) : m_model(model), m_evidence(model.evidence) {}

  void build() {
    for (const ControlPlane& plane : items_of(m_evidence.control_planes)) {
      at(plane.revision, plane.ns).plane = &plane;
    }
    for (const WebhookConfig& config : items_of(m_evidence.injectors)) {
      RevisionView& revision = home_of(config);
      revision.injectors.push_back(&config);
      if (!config.tag.empty()) {
        revision.tags.push_back(config.tag);
      }
    }
    for (const WebhookConfig& config : items_of(m_evidence.validators)) {
      home_of(config).validators.push_back(&config);
    }
    for (const ControlService& service : items_of(m_evidence.services)) {
      if (service.name == with_revision("istiod", service.revision)) {
        at(service.revision, service.ns);
      }
    }
    for (const ControlService& service : items_of(m_evidence.services)) {
      attach(service);
    }
    for (RevisionView& revision : m_model.revisions) {
      complete(revision);
    }
    share_proxies();
    share_namespaces();
  }

 private:
  RevisionView& at(const std::string& name, const std::string& ns) {
    for (RevisionView& revision : m_model.revisions) {
      if (revision.name == name && (revision.ns == ns || ns.empty() || revision.ns.empty())) {
        revision.ns = ns.empty() ? revision.ns : ns;
        return revision;
      }
    }
    RevisionView revision;
    revision.name = name;
    revision.ns = ns;
    m_model.revisions.push_back(std::move(revision));
    return m_model.revisions.back();
  }

  // The default validator and tags lead to a Service, whose label says whose they are.
  RevisionView& home_of(const WebhookConfig& config) {
    for (const Webhook& webhook : config.webhooks) {
      const WebhookTarget& target = webhook.target;
      if (target.url.empty()) {
        const ControlService* service = m_model.service(target.ns, target.name);
        return at(service != nullptr ? service->revision : config.revision, target.ns);
      }
    }
    return at(config.revision, "");
  }

  void attach(const ControlService& service) {
    for (RevisionView& revision : m_model.revisions) {
      const auto all = revision.webhooks();
      const bool named = std::any_of(all.begin(), all.end(), [&](const Webhook* webhook) {
        return webhook->target.ns == service.ns && webhook->target.name == service.name;
      });
      const bool own =
          service.ns == revision.ns && service.name == with_revision("istiod", revision.name);
      if (named || own) {
        revision.services.push_back(&service);
      }
    }
  }

  void complete(RevisionView& revision) {
    const auto same = [&](const auto& each) {
      return each.revision == revision.name && each.ns == revision.ns;
    };
    for (const IstiodPod& pod : items_of(m_evidence.istiod_pods)) {
      if (same(pod)) {
        revision.pods.push_back(&pod);
      }
    }
    for (const RevisionConfig& config : items_of(m_evidence.configs)) {
      revision.config = same(config) ? &config : revision.config;
    }
    for (const Probe& probe : m_evidence.probes) {
      revision.probe = same(probe) ? &probe : revision.probe;
    }
    find_version(revision);
  }

  // From the most to the least trustworthy source.
  static void find_version(RevisionView& revision) {
    const auto take = [&](const std::string& version, const char* source) {
      if (revision.version.empty() && !version.empty()) {
        revision.version = version;
        revision.version_source = source;
      }
    };
    if (revision.config != nullptr) {
      take(revision.config->served_version, "istiod");
    }
    if (revision.plane != nullptr) {
      take(revision.plane->image_version, "image tag");
      take(revision.plane->label_version, "labels");
    }
  }

  void share_proxies() {
    if (!m_evidence.proxies) {
      return;
    }
    for (const Proxy& proxy : m_evidence.proxies->proxies) {
      if (const RevisionView* made_by = m_model.revision_of(proxy.revision)) {
        m_model.revisions[std::size_t(made_by - m_model.revisions.data())].proxies.push_back(
            &proxy);
      }
    }
  }

  void share_namespaces() {
    const Injection injection(items_of(m_evidence.injectors));
    for (const NamespaceLabels& each : items_of(m_evidence.namespaces)) {
      const Membership kind = membership(each.labels);
      const auto takers = kind == Membership::injection ? injection.takers(each.labels)
                                                        : std::vector<const WebhookConfig*>();
      for (RevisionView& revision : m_model.revisions) {
        const bool captures =
            kind == Membership::ambient && revision.plane != nullptr && revision.plane->ambient;
        const bool injects =
            std::find_first_of(takers.begin(), takers.end(), revision.injectors.begin(),
                               revision.injectors.end()) != takers.end();
        if (captures || injects) {
          revision.namespaces.push_back(each.name);
        }
      }
    }
  }

  Model& m_model;
  const Evidence& m_evidence;
};

}  // namespace

Model make_model(const Evidence& evidence, const Scope& scope, const SupportTable& support) {
  Model model{evidence, support, {}};
  Builder(model).build();
  for (RevisionView& revision : model.revisions) {
    const bool other_ns = !scope.ns.empty() && !revision.ns.empty() && revision.ns != scope.ns;
    const bool named = scope.revision.empty() || revision.name == scope.revision ||
                       std::find(revision.tags.begin(), revision.tags.end(), scope.revision) !=
                           revision.tags.end();
    revision.in_scope = named && !other_ns;
  }
  return model;
}

}  // namespace kubist::istio
