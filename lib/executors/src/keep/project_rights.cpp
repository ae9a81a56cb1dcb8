#include "keep/project_rights.hpp"

#include <kubist/data/pointer.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/setup/install.hpp>
#include <kubist/util/text.hpp>

#include "keep/managed.hpp"
#include "keep/sites.hpp"
#include "world/survey.hpp"

namespace kubist::executors {

using data::Json;
using resources::ObjectView;
using util::cat;

namespace {

Json marked(Work& work, std::string_view api_version, const kube::ApiResource& resource,
            const std::string& ns) {
  return {{"apiVersion", api_version},
          {"kind", resource.kind},
          {"metadata",
           {{"name", resources::k_project_account},
            {"namespace", ns},
            {"labels", {{resources::k_managed_by_label, "kubist"}}},
            {"annotations", {{resources::k_owner_annotation, work.owner_mark()}}}}}};
}

Json binding_object(Work& work, const std::string& ns, const char* role, const Json& project) {
  Json object = marked(work, "rbac.authorization.k8s.io/v1", kube::well_known::role_bindings(), ns);
  object["roleRef"] = {
      {"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "ClusterRole"}, {"name", role}};
  object["subjects"] = Json::array({{{"kind", "ServiceAccount"},
                                     {"name", resources::project_account(project)},
                                     {"namespace", resources::project_namespace(project)}}});
  return object;
}

util::Error not_bound(const Json& binding, std::string_view why) {
  const ObjectView view(binding);
  const Json& subject = binding["subjects"][0];
  return util::make_error(
      util::ErrorKind::forbidden,
      cat("the project's account ", subject["namespace"].get<std::string>(), ':',
          subject["name"].get<std::string>(), " has no rights in namespace ", view.ns(), ": ", why),
      cat("An administrator gives them: kubectl create rolebinding ", view.name(),
          " --clusterrole=", binding["roleRef"]["name"].get<std::string>(),
          " --serviceaccount=", subject["namespace"].get<std::string>(), ':',
          subject["name"].get<std::string>(), " -n ", view.ns()),
      k_role_not_bound);
}

util::Result<> note_bound(Work& work, const Json& binding, const engine::Node& project) {
  return work.world().sites.accounts().note_bound(project, std::string(ObjectView(binding).ns()),
                                                  binding["roleRef"]["name"].get<std::string>(),
                                                  work.stop());
}

util::Error may_not_bind(const Json& wish, const util::Error& error) {
  return error.kind == util::ErrorKind::forbidden
             ? not_bound(wish, cat("kubist may not bind it (", error.message, ")"))
             : error;
}

/// The binding that there is, if any. Not bound: there is none, and `allowed` says that kubist may
/// not make it.
util::Result<std::optional<Json>> find_binding(Work& work, const Json& wish, bool allowed) {
  const std::string ns(ObjectView(wish).ns());
  KUBIST_TRY(auto live,
             work.world().survey.find_binding(*work.world().home, work.node(),
                                              resources::k_project_account, ns, work.stop()));
  if (!live && !allowed) {
    return util::fail(
        not_bound(wish,
                  "kubist did not make the namespace, and spec.home.namespaces of the "
                  "Project does not name it exactly"));
  }
  return live;
}

/// Applies the binding where there is none of somebody else's; `allowed`: may kubist make it?
util::Result<> keep_binding(Work& work, const Json& wish, const engine::Node& project,
                            bool allowed) {
  KUBIST_TRY(const auto live, find_binding(work, wish, allowed));
  if (live && !apply::has_mark(*live, mark_of(work))) {
    return {};  // an administrator's: the API server judges what it gives
  }
  auto kept =
      work.apply(work.home(), kube::well_known::role_bindings(), wish, live ? &*live : nullptr);
  if (!kept) {
    return util::fail(may_not_bind(wish, kept.error()));
  }
  if (!live && work.dry()) {
    work.world().sites.accounts().assume(project, std::string(ObjectView(wish).ns()),
                                         wish["roleRef"]["name"]);
  }
  return live || work.dry() ? util::Result<>{} : note_bound(work, wish, project);
}

/// Applies the binding where there most likely is none.
util::Result<> make_binding(Work& work, const Json& wish, const engine::Node& project) {
  const auto made =
      work.writer().apply(work.home(), kube::well_known::role_bindings(), wish, {.only_new = true});
  if (!made && kube::is_conflict(made.error())) {
    return keep_binding(work, wish, project, true);  // somebody was faster
  }
  return made ? note_bound(work, wish, project)
              : util::Result<>(util::fail(may_not_bind(wish, made.error())));
}

/// That of the project. One that an administrator made stays as it is.
util::Result<> keep_account(Work& work, const Json& wish) {
  const kube::ApiResource& accounts = kube::well_known::service_accounts();
  if (work.is_new()) {
    const auto made = work.writer().apply(work.home(), accounts, wish, {.only_new = true});
    if (made || !kube::is_conflict(made.error())) {
      return made ? util::Result<>() : util::Result<>(util::fail(made.error()));
    }
  }
  KUBIST_TRY(const auto live, work.world().survey.find_account(
                                  *work.world().home, work.node(), resources::k_project_account,
                                  std::string(ObjectView(wish).ns()), work.stop()));
  if (!live || apply::has_mark(*live, mark_of(work))) {
    KUBIST_CHECK(work.apply(work.home(), accounts, wish, live ? &*live : nullptr));
  }
  return {};
}

/// Where the caller's own rights are used: do they reach the namespace of a VirtualCluster?
util::Result<> allow_own_rights(Work& work, const engine::Node& project, const std::string& ns,
                                bool allowed) {
  ProjectAccounts& accounts = work.world().sites.accounts();
  KUBIST_TRY(const bool stops, accounts.stops_before(project, ns, work.stop()));
  if (stops && !allowed) {
    return util::fail(util::make_error(
        util::ErrorKind::forbidden,
        cat("kubist acts with its caller's own rights, and does not use them in namespace ", ns,
            ": it did not make the namespace, and spec.home.namespaces of Project ",
            project.key.name, " does not name it exactly"),
        "An administrator can name it there. --own-rights goes beyond the project's namespaces.",
        k_own_rights));
  }
  accounts.admit(project, ns);
  return {};
}

/// The Project of that namespace, where kubist acts as its account; else nullptr.
util::Result<const engine::Node*> acted_for(Work& work, const std::string& project_ns) {
  const engine::Node* project = work.context().graph.project_of(project_ns);
  if (project == nullptr) {
    return nullptr;
  }
  KUBIST_TRY(const bool as_project,
             work.world().sites.accounts().impersonates(*project, work.stop()));
  return as_project ? project : nullptr;
}

}  // namespace

util::Result<> keep_project_account(Work& work) {
  const std::string ns = work.project_namespace();
  KUBIST_TRY(const engine::Node* node, acted_for(work, ns));
  if (node == nullptr) {
    return {};
  }
  const Json& project = *node->object;
  if (resources::project_account(project) == resources::k_project_account) {
    // Nobody is it but by impersonation: no pod gets its token by itself.
    Json wish = marked(work, "v1", kube::well_known::service_accounts(), ns);
    wish["automountServiceAccountToken"] = false;
    KUBIST_CHECK(keep_account(work, wish));
  }
  const Json binding = binding_object(work, ns, setup::k_own_namespace_role, project);
  return work.is_new() ? make_binding(work, binding, *node)
                       : keep_binding(work, binding, *node, true);
}

util::Result<> check_adoption(Work& work, const std::string& ns) {
  KUBIST_TRY(const engine::Node* node, acted_for(work, work.node().key.ns));
  const engine::Node* project = work.context().graph.project_of(work.node().key.ns);
  const bool allowed = names_exactly(project, ns);
  if (node == nullptr) {
    return allow_own_rights(work, *project, ns, allowed);
  }
  KUBIST_CHECK(
      find_binding(work, binding_object(work, ns, setup::k_project_role, *node->object), allowed));
  return {};
}

util::Result<> keep_project_binding(Work& work, const std::string& ns, const NamespaceFact& fact) {
  KUBIST_TRY(const engine::Node* node, acted_for(work, work.node().key.ns));
  const engine::Node* project = work.context().graph.project_of(work.node().key.ns);
  const bool allowed = !fact.adopted || names_exactly(project, ns);
  if (node == nullptr) {
    return allow_own_rights(work, *project, ns, allowed);
  }
  const Json wish = binding_object(work, ns, setup::k_project_role, *node->object);
  return fact.made ? make_binding(work, wish, *node) : keep_binding(work, wish, *node, allowed);
}

util::Result<> drop_project_rights(Work& work, const std::string& ns) {
  kube::Client& home = *work.world().home;
  std::vector<const kube::ApiResource*> kinds{&kube::well_known::role_bindings()};
  if (work.node().key.kind == "Project") {
    kinds.push_back(&kube::well_known::service_accounts());
  }
  for (const kube::ApiResource* resource : kinds) {
    KUBIST_TRY(const auto live,
               home.find(*resource, ns, resources::k_project_account, work.stop()));
    if (!live || !apply::has_mark(*live, mark_of(work))) {
      continue;
    }
    KUBIST_CHECK(work.writer().remove(work.home(), *resource, ns, resources::k_project_account,
                                      ObjectView(*live).uid()));
  }
  return {};
}

}  // namespace kubist::executors
