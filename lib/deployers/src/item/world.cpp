#include <kubist/data/json_patch.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/world.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

namespace kubist::deployers {
namespace {

constexpr std::string_view k_repository = KUBIST_IMAGE_REPOSITORY;
constexpr std::string_view k_tag = ":v" KUBIST_VERSION;

std::string chosen(const char* variable, const data::Json* root, std::string_view field,
                   const std::string& otherwise) {
  std::string named = util::environment(variable);
  if (named.empty() && root != nullptr) {
    named = data::string_at(*root, {"spec", "images", field});
  }
  return named.empty() ? otherwise : named;
}

}  // namespace

std::string agent_image(const data::Json* root) {
  std::string own = util::environment("KUBIST_IMAGE");
  if (own.empty() && !k_repository.empty()) {
    own = util::cat(k_repository, k_tag);
  }
  return chosen("KUBIST_AGENT_IMAGE", root, "agent", own);
}

std::string script_image(const data::Json* root) {
  return chosen("KUBIST_SCRIPT_IMAGE", root, "script", "docker.io/library/busybox:stable");
}

util::Error no_agent_image() {
  const std::string image = util::cat("REGISTRY/kubist", k_tag);
  return util::make_error(
      util::ErrorKind::invalid,
      "no image with kubist is named, and one runs beside the workload of every container and "
      "script",
      util::cat(
          "Make it from kubist's source: packaging/image build/release/cli/kubist kubist.tar; push "
          "it to where the cluster pulls from: skopeo copy oci-archive:kubist.tar docker://",
          image, "; name it: kubist init --agent-image ", image,
          " (spec.images.agent of the Root)."),
      "NoAgentImage");
}

Change change_of(const kube::Writer& writer, const kube::Target& target, const data::Json& live,
                 const data::Json& sent, const data::Json& after) {
  const resources::ObjectView view(sent);
  const bool unsent = writer.rules().dry_run == kube::DryRun::client || after.is_null();
  return {util::cat(view.api_version(), ' ', view.kind(), '/', view.ns(),
                    view.ns().empty() ? "" : "/", view.name()),
          target.cluster, live, unsent ? data::apply_merge_patch(live, sent) : after};
}

}  // namespace kubist::deployers
