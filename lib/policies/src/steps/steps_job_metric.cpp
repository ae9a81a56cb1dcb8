#include "steps/steps_job_metric.hpp"

#include <array>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

#include "policy/step_fields.hpp"
#include "steps/steps_calls.hpp"

namespace kubist::policies {

using util::cat;

namespace {

constexpr std::array<std::string_view, 2> k_job_metric{"name", "provider"};
constexpr std::array<std::string_view, 1> k_provider{"job"}, k_holder{"spec"};
constexpr std::array<std::string_view, 3> k_job_spec{"template", "backoffLimit",
                                                     "activeDeadlineSeconds"};
constexpr std::array<std::string_view, 3> k_pod{"containers", "restartPolicy", "imagePullSecrets"};
constexpr std::int64_t k_backoff_limit = 6;

Json at(const Json& object, std::initializer_list<std::string_view> path) {
  const Json* found = data::find_path(object, path);
  return found != nullptr ? *found : Json();
}

}  // namespace

util::Result<Step> read_job_metric(const Json& metric, const std::string& where,
                                   const Place& place) {
  const std::string what = cat(where, ": metric ", data::string_at(metric, {"name"}));
  const std::string job_is = cat(what, ": provider.job");
  KUBIST_CHECK(check_fields(metric, k_job_metric, cat(what, ", a job"), place));
  const Place provider = place / "provider";
  KUBIST_CHECK(check_fields(metric["provider"], k_provider, cat(what, ": provider"), provider));
  const Json job = at(metric, {"provider", "job"});
  const Place at_job = provider / "job";
  KUBIST_CHECK(check_fields(job, k_holder, job_is, at_job));
  const Json spec = at(job, {"spec"});
  const Place at_template = at_job / "spec" / "template";
  KUBIST_CHECK(check_fields(spec, k_job_spec, cat(job_is, ".spec"), at_job / "spec"));
  KUBIST_CHECK(
      check_fields(at(spec, {"template"}), k_holder, cat(job_is, ".spec.template"), at_template));
  const Json pod = at(spec, {"template", "spec"});
  const Place at_pod = at_template / "spec";
  KUBIST_CHECK(check_fields(pod, k_pod, cat(job_is, ".spec.template.spec"), at_pod));
  const Json containers = at(pod, {"containers"});
  if (!containers.is_array() || containers.size() != 1 || !containers[0].is_object()) {
    return at_pod.fail(cat(job_is, ".spec.template.spec needs one container"));
  }
  Json given = containers[0];
  given["name"] = metric.value("name", Json());
  given["retries"] = spec.value("backoffLimit", Json(k_backoff_limit));
  for (const auto& [field, from, name] :
       {std::tuple{"timeout", &spec, "activeDeadlineSeconds"},
        std::tuple{"imagePullSecrets", &pod, "imagePullSecrets"}}) {
    if (from->contains(name)) {
      given[field] = (*from)[name];
    }
  }
  return read_job(given, job_is, at_pod / "containers" / 0);
}

}  // namespace kubist::policies
