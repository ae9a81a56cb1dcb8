#pragma once
#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/kube/client.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/util/result.hpp>

namespace kubist::istio {

/// Manifests that a program prints, which a Job in the cluster runs: `istioctl manifest generate`.
struct Rendering {
  std::string image;              ///< "docker.io/istio/istioctl:1.31.0"
  std::vector<std::string> args;  ///< of the image's program; empty: k_render_args
  /// Where the Job is; it must exist. Whoever may change pods or their logs there decides what is
  /// installed.
  std::string ns{"default"};
  /// From the Job's creation to the end of its program, pulling the image included.
  std::chrono::seconds timeout{300};
  kube::Writer writer;  ///< makes and deletes the Job; not of a dry run, which has nothing to read
  std::function<void(std::string_view)> on_progress;  ///< what is waited for; may be empty
};

/// What istioctl is asked for where nothing else is said.
inline const std::vector<std::string> k_render_args{"manifest", "generate"};

/// "Image/IMAGE ARG...": how errors and grants name it.
std::string source_name(const Rendering& rendering);

/// Runs the Job and returns what its pod printed, up to one byte more than k_max_bundle_bytes.
/// Where the log is not whole, another Job tries again, three in all. The pod has no token of the
/// API server, needs no network and passes the restricted pod security standard. The Job is deleted
/// before this returns; one whose caller was killed ends by itself.
///
/// Errors: unavailable (the image cannot be pulled, the pod was lost, its log is never the same
/// twice), denied (no pod may be made there), timeout, invalid (it exited with another code than 0,
/// printed nothing, or its log lacks the beginning or the end, three times); each with the pod's
/// reason, and its last lines where it has some. Invalid, too: the writer's is a dry run. Errors of
/// asking and of the writer keep their kind.
util::Result<std::string> render(kube::Client& client, const Rendering& rendering,
                                 const std::stop_token& stop = {});

}  // namespace kubist::istio
