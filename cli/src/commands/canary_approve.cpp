#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/executors/tree.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/util/clock.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/text.hpp>

#include "askable.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;
using util::ErrorKind;

/// Who the API server takes the caller for; empty where it does not say (before Kubernetes 1.28).
std::string caller(kube::Client& client, const std::stop_token& stop) {
  kube::ApiCall call;
  call.method = "POST";
  call.path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  call.content_type = "application/json";
  call.body = std::make_shared<const std::string>(
      R"({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"})");
  call.idempotent = true;  // nothing is kept
  const auto answer = client.json(call, stop);
  return answer ? std::string(data::string_at(*answer, {"status", "userInfo", "username"})) : "";
}

/// The weight that is approved: the release's next one, unless the caller names another.
util::Result<std::int64_t> weight_of(const Json& release, const Arguments& arguments) {
  const std::int64_t next = data::int_at(release, {"status", "nextWeight"});
  if (next == 0) {
    return util::fail(
        ErrorKind::invalid,
        cat("CanaryRelease/", data::string_at(release, {"metadata", "name"}),
            " has no step to come: it is ", data::string_at(release, {"status", "state"}, "new")),
        "A release gets its first step when kubist evaluates it: 'kubist reconcile'.");
  }
  const std::int64_t weight = arguments.given("weight") ? arguments.number("weight") : next;
  if (weight < 1 || weight > 100) {
    return util::fail(ErrorKind::usage, cat("--weight ", weight, " is no percent from 1 to 100"));
  }
  return weight;
}

/// The same name for the same yes, so that saying it twice is saying it once. Gone with its
/// release.
Json approval_of(const Json& release, std::int64_t weight) {
  const std::string name(data::string_at(release, {"metadata", "name"}));
  const std::int64_t attempt = data::int_at(release, {"status", "attempt"}, 1);
  return {{"apiVersion", resources::k_kubist_api_version},
          {"kind", "Approval"},
          {"metadata",
           {{"name", cat(name, '-', attempt, '-', weight)},
            {"namespace", data::string_at(release, {"metadata", "namespace"})},
            {"ownerReferences", Json::array({{{"apiVersion", resources::k_kubist_api_version},
                                              {"kind", "CanaryRelease"},
                                              {"name", name},
                                              {"uid", release["metadata"]["uid"]}}})}}},
          {"spec",
           {{"release", name},
            {"target", data::string_at(release, {"status", "target"})},
            {"attempt", attempt},
            {"weight", weight}}}};
}

/// What it approves of. Its weight, target and attempt come from a status, which others may write.
std::string text_of(const Json& approval) {
  const Json& spec = approval["spec"];
  return cat("approves ", data::int_at(spec, {"weight"}), " % for ",
             data::string_at(spec, {"target"}), ", attempt ", data::int_at(spec, {"attempt"}),
             " of CanaryRelease/", data::string_at(spec, {"release"}));
}

util::Result<int> run_canary_approve(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const Json release, get_asked(context, arguments, canary()));
  KUBIST_TRY(const std::int64_t weight, weight_of(release, arguments));
  Json approval = approval_of(release, weight);
  const std::string by =
      arguments.given("by") ? arguments.text("by") : caller(*client, context.stop());
  if (!by.empty()) {
    approval["spec"]["by"] = by;
  }
  if (arguments.given("reason")) {
    approval["spec"]["reason"] = arguments.text("reason");
  }
  if (arguments.given("expires")) {
    approval["spec"]["expiresAt"] =
        util::format_time(util::system_clock().now() + arguments.duration("expires"));
  }
  context.log().line(text_of(approval));
  const auto* kind = resources::find_kind(resources::k_kubist_group, "Approval");
  KUBIST_CHECK(kube::Writer().apply({*client}, executors::resource_of(*kind), approval));
  context.out().write(cat("approval.kubist.io/", approval["metadata"]["name"].get<std::string>(),
                          " lets ", approval["spec"]["release"].get<std::string>(), " go to ",
                          weight, " %\n"));
  return k_ok;
}

}  // namespace

CommandSpec canary_approve_command() {
  return {
      .path = "canary approve",
      .group = "Releases and traffic",
      .summary = "Approve a step of a release",
      .details =
          "Makes an Approval for the release's present target and attempt and its next weight: "
          "what the policy Approval waits for. It only approves: a kubist that watches, or 'kubist "
          "reconcile', moves the release at its next check. "
          "It says before it writes which weight, target and attempt the status has: compare them "
          "with the message that asks. Who may create Approvals may do this; "
          "no right to change the release is needed.",
      .arguments = "NAME",
      .min_words = 1,
      .max_words = 1,
      .completes = Completes::canaries,
      .flags = {{"weight", 0, FlagKind::number, "PERCENT",
                 "the weight that it may go to, the next one by default"},
                {"reason", 0, FlagKind::text, "TEXT", "why, for people"},
                {"by", 0, FlagKind::text, "NAME",
                 "who says so; by default whom the API server takes you for"},
                {"expires", 0, FlagKind::duration, "DURATION",
                 "it counts for this long only; without end by default"}},
      .examples = {{"The next step",
                    "kubist canary approve shop -n shop --reason \"load test passed\""},
                   {"The last step, ahead of time", "kubist canary approve shop --weight 100"}},
      .run = run_canary_approve};
}

}  // namespace kubist::cli
