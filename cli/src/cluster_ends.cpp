#include "cluster_ends.hpp"

namespace kubist::cli {

Flag home_context_flag() {
  return {"home-context",
          0,
          FlagKind::text,
          "NAME",
          "context of the home cluster; by default the kubeconfig's current one",
          "",
          Completes::contexts};
}

util::Result<ClusterEnds> cluster_ends(Context& context) {
  const Arguments& arguments = context.arguments();
  kube::Overrides home;
  home.kubeconfig = arguments.text("kubeconfig");
  home.context = arguments.text("home-context");
  home.ns = arguments.text("namespace");
  KUBIST_TRY(auto home_access, kube::find_access(home, kube::process_environment()));
  ClusterEnds ends;
  ends.ns = home_access.ns;
  ends.connect = [&context, guard = home_access.context_name](kube::ClusterAccess access) {
    return context.client_of(std::move(access), guard);
  };
  ends.home_context = home_access.context_name;
  KUBIST_TRY(ends.home, context.client_of(std::move(home_access), ends.home_context));
  if (arguments.text("context").empty()) {
    return ends;
  }
  kube::Overrides target = context.overrides();
  target.ns.clear();
  KUBIST_TRY(ends.access, kube::find_access(target, kube::process_environment()));
  KUBIST_TRY(ends.target, context.client_of(ends.access, ends.access.context_name));
  return ends;
}

}  // namespace kubist::cli
