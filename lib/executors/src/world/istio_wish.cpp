#include "world/istio_wish.hpp"

#include <kubist/data/pointer.hpp>
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
                                       cat("Create it: kubectl create configmap ", wish.config_map,
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

istio::Rendering rendering_of(const Json& render, std::string_view version) {
  istio::Rendering rendering;
  const std::string tag(version.starts_with('v') ? version.substr(1) : version);
  rendering.image = data::string_at(render, {"image"}, cat("docker.io/istio/istioctl:", tag));
  rendering.ns = data::string_at(render, {"namespace"}, "default");
  rendering.args = data::strings_at(render, {"args"});
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
  if (!printed && printed.error().reason.empty()) {
    printed.error().reason = "IstioRenderFailed";
  }
  return printed;
}

}  // namespace

std::string IstioWish::source() const {
  return renders ? source_name(rendering) : url.empty() ? cat("ConfigMap/", config_map) : url;
}

IstioWish istio_wish(const Json& cluster_spec) {
  const Json* found = data::find_path(cluster_spec, {"istio"});
  const Json spec = found != nullptr ? *found : Json::object();
  const auto text = [&](std::initializer_list<std::string_view> path, std::string_view other = "") {
    return std::string(data::string_at(spec, path, other));
  };
  IstioWish wish;
  wish.mode = text({"mode"}, "Check");
  wish.scope = {text({"namespace"}),
                text({"revision"}, wish.installs() ? istio::k_default_revision : "")};
  wish.version = text({"version"});
  wish.config_map = text({"source", "configMapRef", "name"});
  wish.key = text({"source", "configMapRef", "key"});
  wish.url = text({"source", "url"});
  wish.sha256 = text({"source", "sha256"});
  if (const Json* render = data::find_path(spec, {"source", "render"})) {
    wish.renders = true;
    wish.rendering = rendering_of(*render, wish.version);
  }
  return wish;
}

util::Result<> check_istio_grant(const Json* project, const IstioWish& wish) {
  const Json* sources =
      project != nullptr ? data::find_path(*project, {"spec", "istioInstall", "sources"}) : nullptr;
  const std::string source = wish.source();
  const bool granted = source_matches_any(sources, source);
  if (granted && (wish.url.empty() || !is_never_allowed(wish.url))) {
    return {};
  }
  return util::fail(util::make_error(
      ErrorKind::invalid,
      granted ? cat(source, " is no address that Istio may be installed from")
              : cat("the Project does not grant that Istio is installed from ", source),
      granted ? "Give the address of another server, without a user's name."
              : "An administrator can add it to spec.istioInstall.sources of the Project.",
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
    bundle.error().reason = "IstioSourceInvalid";
  }
  return bundle;
}

}  // namespace kubist::executors
