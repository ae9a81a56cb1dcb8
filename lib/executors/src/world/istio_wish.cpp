#include "world/istio_wish.hpp"

#include <set>

#include <kubist/data/pointer.hpp>
#include <kubist/istio/check.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "world/addresses.hpp"
#include "world/patterns.hpp"

namespace kubist::executors {

using data::Json;
using util::cat;
using util::ErrorKind;

namespace {

util::Result<std::string> read_config_map(Work& work, const IstioWish& wish) {
  const std::string& ns = work.node().key.ns;
  const std::string what = cat("ConfigMap ", ns, '/', wish.config_map);
  KUBIST_TRY(const auto found, work.world().home->find(kube::well_known::config_maps(), ns,
                                                       wish.config_map, work.stop()));
  if (!found) {
    return util::fail(util::make_error(ErrorKind::not_found,
                                       cat(what, " with Istio's manifests does not exist"),
                                       cat("Create it: kubist create configmap ", wish.config_map,
                                           " -n ", ns, " --from-file=", wish.key),
                                       "IstioSourceNotFound"));
  }
  if (const Json* text = data::find_path(*found, {"data", wish.key});
      text != nullptr && text->is_string()) {
    return text->get<std::string>();
  }
  const Json* binary = data::find_path(*found, {"binaryData", wish.key});
  auto bytes = binary != nullptr && binary->is_string()
                   ? util::base64_decode(binary->get_ref<const std::string&>())
                   : std::nullopt;
  if (!bytes) {
    return util::fail(util::make_error(ErrorKind::not_found, cat(what, " has no key ", wish.key),
                                       "Correct spec.istio.source.configMapRef.key.",
                                       "IstioSourceNotFound"));
  }
  return *std::move(bytes);
}

istio::Rendering rendering_of(const Json& render, std::string_view version, std::string_view hub) {
  istio::Rendering rendering;
  const std::string tag(version.starts_with('v') ? version.substr(1) : version);
  const std::string image = tag.empty() ? "" : cat(hub, "/istioctl:", tag);
  rendering.image = data::string_at(render, {"image"}, image);
  rendering.ns = data::string_at(render, {"namespace"}, "default");
  rendering.args = data::strings_at(render, {"args"});
  return rendering;
}

/// Where no source is named: istioctl of that version, with the profile and the images asked for.
istio::Rendering default_rendering(const Json& spec, std::string_view version) {
  const std::string_view hub = data::string_at(spec, {"hub"});
  istio::Rendering rendering =
      rendering_of(Json::object(), version, hub.empty() ? "docker.io/istio" : hub);
  rendering.args = istio::k_render_args;
  const auto set = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) {
      rendering.args.insert(rendering.args.end(), {"--set", cat(key, '=', value)});
    }
  };
  set("profile", data::string_at(spec, {"profile"}));
  set("hub", hub);
  return rendering;
}

util::Result<std::string> render(Work& work, kube::Client& cluster, const IstioWish& wish) {
  constexpr std::chrono::seconds k_render_timeout{120};  // the run waits for it
  istio::Rendering rendering = wish.rendering;
  rendering.timeout = k_render_timeout;
  rendering.writer = work.writer();
  rendering.on_progress =
      work.context().progress
          ? [&work](std::string_view text) { work.context().progress(std::string(text)); }
          : std::function<void(std::string_view)>();
  auto printed = istio::render(cluster, rendering, work.stop());
  if (!printed) {
    return util::fail(util::with_default_reason(printed.error(), "IstioRenderFailed"));
  }
  return printed;
}

}  // namespace

std::string IstioWish::source() const {
  return renders ? source_name(rendering) : url.empty() ? cat("ConfigMap/", config_map) : url;
}

IstioWish istio_wish(const Json& cluster_spec) {
  const Json& spec = data::object_at(cluster_spec, {"istio"});
  const auto text = [&](std::initializer_list<std::string_view> path, std::string_view other = "") {
    return std::string(data::string_at(spec, path, other));
  };
  IstioWish wish;
  wish.version = text({"version"});
  wish.mode = text({"mode"}, wish.version.empty() ? "Check" : "Install");
  wish.scope = {text({"namespace"}),
                text({"revision"}, wish.installs() ? istio::k_default_revision : "")};
  wish.config_map = text({"source", "configMapRef", "name"});
  wish.key = text({"source", "configMapRef", "key"});
  wish.url = text({"source", "url"});
  wish.sha256 = text({"source", "sha256"});
  if (const Json* render = data::find_path(spec, {"source", "render"})) {
    wish.renders = true;
    wish.rendering = rendering_of(*render, wish.version, "docker.io/istio");
  } else if (data::find_path(spec, {"source"}) == nullptr) {
    wish.renders = true;
    wish.rendering = default_rendering(spec, wish.version);
  }
  return wish;
}

IstioWish istio_wish(const engine::Graph& graph, const engine::Node& cluster, const Json& spec) {
  std::vector<const Json*> above;  // from the Root down
  for (engine::NodeId up = cluster.parent; up != engine::k_no_node; up = graph[up].parent) {
    above.insert(above.begin(), &data::object_at(graph[up].spec(), {"istio"}));
  }
  Json merged = Json::object();
  for (const Json* each : above) {
    merged.update(*each);
  }
  const Json administrators = merged;
  merged.update(data::object_at(spec, {"istio"}));
  IstioWish wish = istio_wish(Json{{"istio", merged}});
  // All of it: a namespace in which a member may write pods lets him say what a Job printed.
  merged.erase("mode");
  Json wanted = administrators;
  wanted.erase("mode");
  // What a ConfigMap holds is its namespace's word, unless its digest is the administrators'.
  const bool pinned = wish.config_map.empty() || !wish.sha256.empty();
  wish.granted =
      istio_wish(Json{{"istio", administrators}}).installs() && merged == wanted && pinned;
  return wish;
}

std::string own_home_uid(const World& world, const Connection& connection) {
  return connection.client == world.home ? world.home_uid : "";
}

istio::Report judge_istio(const istio::Evidence& evidence, const IstioWish& wish,
                          const engine::Node& cluster, std::string_view home_uid,
                          std::string_view ns) {
  istio::Report report = istio::judge_for(evidence, ns, wish.scope);
  if (home_uid.empty()) {
    return report;
  }
  std::set<std::string> own{cluster.key.ns};
  for (const istio::NamespaceLabels& each : istio::items_of(evidence.namespaces)) {
    const auto parts = util::split(each.owner, '/');
    if (parts.size() == 4 && parts[0] == home_uid && parts[2] == cluster.key.ns) {
      own.insert(each.name);
    }
  }
  return istio::without_names(std::move(report),
                              [&](const std::string& name) { return own.contains(name); });
}

util::Result<> check_istio_grant(const Json* project, const IstioWish& wish) {
  const Json* sources =
      project != nullptr ? data::find_path(*project, {"spec", "istioInstall", "sources"}) : nullptr;
  const std::string source = wish.source();
  if (wish.renders && wish.rendering.image.empty()) {
    return util::fail(
        util::make_error(ErrorKind::invalid, "spec.istio names neither a version nor a source",
                         "Give spec.istio.version, here or in the Project.", "IstioSourceInvalid"));
  }
  const bool granted = wish.granted || source_matches_any(sources, source);
  if (granted && wish.renders && !wish.granted &&
      !resources::is_reserved_namespace(wish.rendering.ns)) {
    return util::fail(util::make_error(
        ErrorKind::invalid,
        cat("only the Project may have Istio rendered in namespace ", wish.rendering.ns,
            ": who may write pods there decides what is installed"),
        "Leave source.render.namespace out, or let an administrator set spec.istio of the Project.",
        "IstioInstallNotGranted"));
  }
  if (granted && (wish.url.empty() || !is_never_allowed(wish.url))) {
    return {};
  }
  return util::fail(util::make_error(
      ErrorKind::invalid,
      granted ? cat(source, " is no address that Istio may be installed from")
              : cat("the Project does not grant that Istio is installed from ", source),
      granted ? "Give the address of another server, without a user's name."
      : wish.config_map.empty()
          ? "An administrator can add it to spec.istioInstall.sources of the Project, or set "
            "spec.istio there."
          : "An administrator can add it to spec.istioInstall.sources of the Project, or set "
            "spec.istio there with the sha256 of what the ConfigMap holds.",
      "IstioInstallNotGranted"));
}

util::Result<istio::Bundle> read_wished_bundle(Work& work, kube::Client& cluster,
                                               const IstioWish& wish) {
  istio::Source source;
  source.location = wish.source();
  source.sha256 = wish.sha256;
  if (wish.renders) {
    KUBIST_TRY(source.content, render(work, cluster, wish));
  } else if (wish.url.empty()) {
    KUBIST_TRY(source.content, read_config_map(work, wish));
  }
  source.fetch = [&work](const std::string& url) {
    return work.world().connections.fetch(url, istio::k_max_bundle_bytes, work.stop());
  };
  auto bundle = istio::read_bundle(source, {wish.version, wish.scope.revision});
  if (bundle && !wish.scope.ns.empty() && bundle->ns != wish.scope.ns) {
    bundle = util::fail(ErrorKind::invalid, cat(source.location, " installs Istio into namespace ",
                                                bundle->ns, ", not ", wish.scope.ns));
  }
  if (!bundle && bundle.error().kind == ErrorKind::invalid) {
    return util::fail(util::with_reason(bundle.error(), "IstioSourceInvalid"));
  }
  return bundle;
}

}  // namespace kubist::executors
