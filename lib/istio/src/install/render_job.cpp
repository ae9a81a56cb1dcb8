#include "install/render_job.hpp"

#include <algorithm>
#include <array>

#include <kubist/data/pointer.hpp>
#include <kubist/istio/labels.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/util/text.hpp>

namespace kubist::istio {

using data::Json;
using util::cat;
using State = RenderPod::State;

namespace {

// What no waiting mends within the Job's time. Of a failed pull only the second is final.
constexpr std::array<std::string_view, 6> k_hopeless{
    "ImagePullBackOff",           "InvalidImageName",     "ErrImageNeverPull",
    "CreateContainerConfigError", "CreateContainerError", "RunContainerError"};

std::string reason_of(const Json& state) {
  const std::string_view message = data::string_at(state, {"message"});
  return cat(data::string_at(state, {"reason"}), message.empty() ? "" : ": ", message);
}

RenderPod ended(const Json& end) {
  const auto code = data::int_at(end, {"exitCode"}, -1);
  if (code == 0) {
    return {State::succeeded, "", true};
  }
  const std::string_view reason = data::string_at(end, {"reason"});
  return {State::failed,
          cat("its program exited with code ", code,
              reason.empty() || reason == "Error" ? "" : cat(" (", reason, ')')),
          true};
}

std::string why_pending(const Json& pod) {
  for (const Json& condition : data::array_at(pod, {"status", "conditions"})) {
    if (data::string_at(condition, {"type"}) == "PodScheduled" &&
        data::string_at(condition, {"status"}) == "False") {
      return reason_of(condition);
    }
  }
  return cat("it is ", data::string_at(pod, {"status", "phase"}, "Pending"));
}

}  // namespace

std::string source_name(const Rendering& rendering) {
  return cat("Image/", rendering.image, ' ',
             util::join(rendering.args.empty() ? k_render_args : rendering.args, " "));
}

Json render_job(const Rendering& rendering) {
  const Json container{{"name", k_render_container},
                       {"image", rendering.image},
                       {"args", rendering.args.empty() ? k_render_args : rendering.args},
                       {"resources",
                        {{"requests", {{"cpu", "50m"}, {"memory", "128Mi"}}},
                         {"limits", {{"cpu", "2"}, {"memory", "1Gi"}}}}},
                       {"securityContext",
                        {{"allowPrivilegeEscalation", false},
                         {"readOnlyRootFilesystem", true},
                         {"capabilities", {{"drop", Json::array({"ALL"})}}}}}};
  const Json pod{{"restartPolicy", "Never"},
                 {"automountServiceAccountToken", false},
                 {"enableServiceLinks", false},
                 {"securityContext",
                  {{"runAsNonRoot", true}, {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
                 {"containers", Json::array({container})}};
  // A sidecar would keep the pod from ending.
  const Json labels{{resources::k_managed_by_label, "kubist"}, {k_inject_label, "false"}};
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata",
           {{"generateName", "kubist-istio-render-"},
            {"namespace", rendering.ns},
            {"labels", {{resources::k_managed_by_label, "kubist"}}}}},
          {"spec",
           {{"backoffLimit", 0},
            {"activeDeadlineSeconds", rendering.timeout.count() + 30},  // we give up before
            {"ttlSecondsAfterFinished", 60},  // where nobody is left to delete it
            {"template", {{"metadata", {{"labels", labels}}}, {"spec", pod}}}}}};
}

RenderPod read_render_pod(const Json& pod) {
  for (const Json& status : data::array_at(pod, {"status", "containerStatuses"})) {
    if (data::string_at(status, {"name"}) != k_render_container) {
      continue;
    }
    if (const Json* end = data::find_path(status, {"state", "terminated"})) {
      return ended(*end);
    }
    if (const Json* waiting = data::find_path(status, {"state", "waiting"})) {
      const std::string_view reason = data::string_at(*waiting, {"reason"});
      const bool hopeless =
          std::find(k_hopeless.begin(), k_hopeless.end(), reason) != k_hopeless.end();
      return {hopeless ? State::failed : State::running, reason_of(*waiting), false};
    }
  }
  if (data::string_at(pod, {"status", "phase"}) == "Failed") {
    const Json& status = pod["status"];  // evicted, or its deadline passed before it ran
    return {State::failed, reason_of(status), false};
  }
  return {State::running, why_pending(pod), false};
}

std::string last_lines(std::string_view log) {
  constexpr std::size_t k_lines = 10;
  constexpr std::size_t k_bytes = 2000;
  log = util::trim(log);
  std::size_t begin = log.size();
  for (std::size_t lines = 0; lines < k_lines && begin != 0; ++lines) {
    const std::size_t newline = log.rfind('\n', begin - 1);
    begin = newline == log.npos ? 0 : newline;
  }
  begin = std::max(begin, log.size() - std::min(log.size(), k_bytes));
  return util::printable(util::trim(log.substr(begin)));
}

util::Result<> check_whole(std::string_view log, const Rendering& rendering) {
  const std::string_view what = util::trim(log).empty() ? "printed nothing"
                                : log.front() == ' '    ? "has lost the beginning of its log"
                                : log.back() != '\n'    ? "has lost the end of its log"
                                                        : "";
  if (what.empty()) {
    return {};
  }
  return util::fail(util::ErrorKind::invalid, cat(source_name(rendering), ' ', what),
                    "Nodes rotate logs that are large (containerLogMaxSize). Render it elsewhere, "
                    "and install the file.");
}

}  // namespace kubist::istio
