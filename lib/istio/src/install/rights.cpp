#include <array>
#include <optional>
#include <set>
#include <tuple>

#include <kubist/data/pointer.hpp>
#include <kubist/istio/preflight.hpp>
#include <kubist/util/text.hpp>

#include "evidence/questions.hpp"

namespace kubist::istio {

using data::Json;
using resources::Manifest;
using resources::ObjectView;
using util::cat;

namespace {

constexpr std::array k_verbs{"get", "create", "patch"};

// The resource of a kind that one of the bundle's own CRDs defines.
std::optional<kube::ApiResource> of_own_crds(const Bundle& bundle, std::string_view group,
                                             std::string_view kind) {
  for (const Manifest& manifest : bundle.manifests) {
    const Json& crd = manifest.object;
    if (ObjectView(crd).kind() == "CustomResourceDefinition" &&
        data::string_at(crd, {"spec", "group"}) == group &&
        data::string_at(crd, {"spec", "names", "kind"}) == kind) {
      kube::ApiResource resource;
      resource.group = group;
      resource.kind = kind;
      resource.plural = data::string_at(crd, {"spec", "names", "plural"});
      resource.namespaced = data::string_at(crd, {"spec", "scope"}) == "Namespaced";
      return resource;
    }
  }
  return std::nullopt;
}

std::string describe(const kube::AccessQuestion& question) {
  return cat(question.verb, ' ', question.resource, question.group.empty() ? "" : ".",
             question.group, question.ns.empty() ? "" : cat(" in ", question.ns));
}

// Making a role takes the rights that it grants; only the server can say whether they are there.
util::Result<std::optional<Obstacle>> try_role(kube::Client& client, const Json& role,
                                               const std::stop_token& stop) {
  kube::ApplyOptions options;
  options.dry_run = kube::DryRun::server;
  options.force = true;  // who owns its fields is another question
  const auto reply =
      client.run(kube::apply(kube::well_known::cluster_roles(), role, options), stop);
  if (reply || (reply.error().http_status != 403 && reply.error().http_status != 0 &&
                reply.error().http_status < 500)) {
    return std::optional<Obstacle>();
  }
  if (reply.error().http_status != 403) {
    return util::fail(reply.error());
  }
  const std::string name(ObjectView(role).name());
  return std::optional(Obstacle{
      cat("escalation:", name), reply.error().message,
      "install with all that this ClusterRole grants, or with the verb escalate on ClusterRoles"});
}

}  // namespace

util::Result<std::vector<kube::AccessQuestion>> needed_rights(const Bundle& bundle,
                                                              const kube::ResourceIndex& index) {
  std::set<std::tuple<std::string, std::string, std::string>> places;  // group, resource, namespace
  for (const Manifest& manifest : bundle.manifests) {
    const ObjectView view(manifest.object);
    const kube::ApiResource* served = index.by_kind(view.group(), view.version(), view.kind());
    const auto own =
        served == nullptr ? of_own_crds(bundle, view.group(), view.kind()) : std::nullopt;
    if (served == nullptr && !own) {
      return util::fail(util::ErrorKind::not_found, manifest.position("/kind"),
                        cat("the cluster does not serve ", view.api_version(), ' ', view.kind()),
                        "These manifests are for another version of Kubernetes, or lack a CRD.");
    }
    const kube::ApiResource& resource = served != nullptr ? *served : *own;
    places.emplace(resource.group, resource.plural, resource.namespaced ? view.ns() : "");
  }
  std::vector<kube::AccessQuestion> questions;
  for (const auto& [group, resource, ns] : places) {
    for (const char* verb : k_verbs) {
      kube::AccessQuestion question;
      question.verb = verb;
      question.group = group;
      question.resource = resource;
      question.ns = ns;
      questions.push_back(std::move(question));
    }
  }
  return questions;
}

namespace {

using Answer = util::Result<std::optional<Obstacle>>;

util::Result<std::vector<Obstacle>> all_answers(const std::vector<std::function<Answer()>>& asks) {
  std::vector<Answer> answers(asks.size());
  std::vector<std::function<void()>> work;
  for (std::size_t at = 0; at < asks.size(); ++at) {
    work.emplace_back([&, at]() { answers[at] = asks[at](); });
  }
  Questions::all(work);
  std::vector<Obstacle> obstacles;
  for (Answer& answer : answers) {
    KUBIST_TRY(auto obstacle, std::move(answer));
    if (obstacle) {
      obstacles.push_back(std::move(*obstacle));
    }
  }
  return obstacles;
}

Answer ask(kube::Client& client, const kube::AccessQuestion& question,
           const std::stop_token& stop) {
  KUBIST_TRY(const auto answer, client.can_i(question, stop));
  if (answer.allowed) {
    return std::optional<Obstacle>();
  }
  const std::string what = describe(question);
  return std::optional(Obstacle{cat("forbidden:", what), cat("not allowed to ", what),
                                "ask for that right, or use another --context"});
}

}  // namespace

util::Result<std::vector<Obstacle>> refused_rights(
    kube::Client& client, const std::vector<kube::AccessQuestion>& questions,
    const std::stop_token& stop) {
  std::vector<std::function<Answer()>> asks;
  for (const kube::AccessQuestion& question : questions) {
    asks.emplace_back([&] { return ask(client, question, stop); });
  }
  return all_answers(asks);
}

util::Result<std::vector<Obstacle>> check_rights(kube::Client& client, const Bundle& bundle,
                                                 const std::stop_token& stop) {
  KUBIST_TRY(const auto index, client.discovery().refresh(stop));
  KUBIST_TRY(const auto questions, needed_rights(bundle, *index));
  std::vector<std::function<Answer()>> asks;
  for (const kube::AccessQuestion& question : questions) {
    asks.emplace_back([&] { return ask(client, question, stop); });
  }
  for (const Manifest& manifest : bundle.manifests) {
    if (ObjectView(manifest.object).kind() == "ClusterRole") {
      asks.emplace_back([&] { return try_role(client, manifest.object, stop); });
    }
  }
  return all_answers(asks);
}

}  // namespace kubist::istio
