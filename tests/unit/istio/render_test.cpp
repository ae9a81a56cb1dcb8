#include <doctest/doctest.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "install/render_job.hpp"

using namespace kubist::istio;
using kubist::data::Json;
namespace data = kubist::data;
namespace util = kubist::util;
using State = RenderPod::State;

namespace {

Rendering istioctl() {
  Rendering rendering;
  rendering.image = "docker.io/istio/istioctl:1.31.0";
  return rendering;
}

RenderPod read(const std::string& state) {
  return read_render_pod(
      {{"status",
        {{"phase", "Pending"},
         {"containerStatuses",
          Json::array({{{"name", "other"}, {"state", {{"running", Json::object()}}}},
                       {{"name", "render"}, {"state", Json::parse(state)}}})}}}});
}

}  // namespace

TEST_CASE("render: the source is named by image and arguments") {
  Rendering rendering = istioctl();
  CHECK(source_name(rendering) == "Image/docker.io/istio/istioctl:1.31.0 manifest generate");
  rendering.args = {"manifest", "generate", "--set", "profile=minimal"};
  CHECK(source_name(rendering) ==
        "Image/docker.io/istio/istioctl:1.31.0 manifest generate --set profile=minimal");
}

TEST_CASE("render: the pod has no token, no rights, and an end") {
  Rendering rendering = istioctl();
  rendering.ns = "tools";
  rendering.timeout = std::chrono::seconds(90);
  const Json job = render_job(rendering);
  CHECK(job["metadata"]["namespace"] == "tools");
  CHECK(job["spec"]["backoffLimit"] == 0);
  CHECK(job["spec"]["activeDeadlineSeconds"] > 90);
  CHECK(job["spec"]["ttlSecondsAfterFinished"] == 60);
  const Json& pod = job["spec"]["template"]["spec"];
  CHECK(pod["automountServiceAccountToken"] == false);
  CHECK(pod["restartPolicy"] == "Never");
  CHECK(pod["securityContext"]["runAsNonRoot"] == true);
  CHECK(pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault");
  const Json& container = pod["containers"][0];
  CHECK(container["args"] == Json::array({"manifest", "generate"}));
  CHECK_FALSE(container.contains("command"));
  CHECK(container["securityContext"]["allowPrivilegeEscalation"] == false);
  CHECK(container["securityContext"]["capabilities"]["drop"] == Json::array({"ALL"}));
  CHECK(job["spec"]["template"]["metadata"]["labels"]["sidecar.istio.io/inject"] == "false");
}

TEST_CASE("render: what the pod says, and for what no waiting helps") {
  CHECK(read(R"({"running": {}})").state == State::running);
  CHECK(read(R"({"waiting": {"reason": "ContainerCreating"}})").reason == "ContainerCreating");
  CHECK(read(R"({"waiting": {"reason": "ErrImagePull", "message": "no such host"}})").state ==
        State::running);
  const RenderPod pull =
      read(R"({"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}})");
  CHECK(pull.state == State::failed);
  CHECK(pull.reason == "ImagePullBackOff: Back-off pulling image");
  CHECK_FALSE(pull.exited);
  CHECK(read(R"({"terminated": {"exitCode": 0, "reason": "Completed"}})").state ==
        State::succeeded);
  const RenderPod wrong = read(R"({"terminated": {"exitCode": 1, "reason": "Error"}})");
  CHECK(wrong.state == State::failed);
  CHECK(wrong.reason == "its program exited with code 1");
  CHECK(wrong.exited);
  CHECK(read(R"({"terminated": {"exitCode": 137, "reason": "OOMKilled"}})").reason ==
        "its program exited with code 137 (OOMKilled)");

  CHECK(read_render_pod(Json::object()).reason == "it is Pending");
  CHECK(read_render_pod({{"status",
                          {{"phase", "Pending"},
                           {"conditions", Json::array({{{"type", "PodScheduled"},
                                                        {"status", "False"},
                                                        {"reason", "Unschedulable"},
                                                        {"message", "0/1 nodes"}}})}}}})
            .reason == "Unschedulable: 0/1 nodes");
  const RenderPod evicted = read_render_pod(
      {{"status", {{"phase", "Failed"}, {"reason", "Evicted"}, {"message", "low on memory"}}}});
  CHECK(evicted.state == State::failed);
  CHECK(evicted.reason == "Evicted: low on memory");
}

TEST_CASE("render: a log that was cut or rotated is refused") {
  CHECK(check_whole("apiVersion: v1\nkind: Service\n", istioctl()));
  for (const auto& [log, why] :
       {std::pair{"", "printed nothing"}, std::pair{"\n \n", "printed nothing"},
        std::pair{"  name: istiod\n---\nkind: A\n", "lost the beginning"},
        std::pair{"kind: Service\nmetad", "lost the end"}}) {
    const auto whole = check_whole(log, istioctl());
    REQUIRE_FALSE(whole);
    CHECK(whole.error().kind == util::ErrorKind::invalid);
    CHECK_MESSAGE(whole.error().message.find(why) != std::string::npos, whole.error().message);
  }
}

TEST_CASE("render: of a long log the last lines are told") {
  CHECK(last_lines("").empty());
  CHECK(last_lines("one\ntwo\n") == "one\ntwo");
  std::string log;
  for (int line = 0; line < 100; ++line) {
    log += util::cat("line ", line, '\n');
  }
  const std::string end = last_lines(log);
  CHECK(end.starts_with("line 90\n"));
  CHECK(end.ends_with("line 99"));
  CHECK(last_lines(std::string(9000, 'x')).size() == 2000);
}
