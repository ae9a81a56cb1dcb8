#include <array>

#include <kubist/util/text.hpp>

#include "argo.hpp"

namespace kubist::convert {

using util::cat;

namespace {

using Args = std::map<std::string, std::string>;

Json prometheus_query(const Fields& given, const Args& args, Release& release) {
  std::string query = given.text("query");
  if (!fill_args(query, args)) {
    given.lost_by("query", "an argument of it has no value, so the metric is left out");
    return {};
  }
  set_prometheus(release, given, "address");
  return {{"prometheus", {{"query", util::trim(query)}}}};
}

Json web_of(const Fields& given, const Args& args) {
  std::string url = given.text("url"), path = given.text("jsonPath");
  if (given.text("method", "GET") != "GET") {
    given.lost_by("method", "kubist asks by GET, so the metric is left out");
    return {};
  }
  if (!fill_args(url, args) || !fill_args(path, args) || path.empty()) {
    given.lost_by("url",
                  "its url needs values for all arguments and a jsonPath that finds one "
                  "number, so the metric is left out");
    return {};
  }
  Json web{{"url", url}, {"jsonPath", path}};
  if (const auto timeout = given.number("timeoutSeconds")) {
    web["timeoutSeconds"] = *timeout;
  }
  return {{"web", std::move(web)}};
}

/// The value with its arguments filled in.
Json filled(Json value, const Args& args) {
  if (value.is_string()) {
    fill_args(value.get_ref<std::string&>(), args);
  }
  if (value.is_structured()) {
    for (Json& child : value) {
      child = filled(std::move(child), args);
    }
  }
  return value;
}

/// One container, as kubist's step `job` runs it.
Json container_of(const Fields& given, const Args& args) {
  constexpr std::array<const char*, 5> k_fields{"name", "image", "command", "args", "resources"};
  Json container = Json::object();
  for (const char* field : k_fields) {
    if (given.has(field)) {
      container[field] = filled(given.any(field), args);
    }
  }
  for (const Fields& variable : given.list("env")) {
    std::string value = variable.text("value");
    if (variable.has("valueFrom") || !fill_args(value, args)) {
      variable.lost("a job of a release has names and values only");
    } else {
      container["env"].push_back({{"name", variable.text("name")}, {"value", value}});
    }
  }
  return container;
}

Json job_of(const Fields& given, const Args& args) {
  const Fields spec = given.at("spec");
  const Fields pod = spec.at("template").at("spec");
  const std::vector<Fields> containers = pod.list("containers");
  if (containers.size() != 1) {
    pod.lost_by("containers", "a job of a release has one container, so the metric is left out");
    return {};
  }
  Json kept{{"containers", {container_of(containers[0], args)}}};
  for (const char* field : {"restartPolicy", "imagePullSecrets"}) {
    if (pod.has(field)) {
      kept[field] = pod.any(field);
    }
  }
  Json job{{"template", {{"spec", std::move(kept)}}}};
  for (const char* field : {"backoffLimit", "activeDeadlineSeconds"}) {
    if (const auto number = spec.number(field)) {
      job[field] = *number;
    }
  }
  return {{"job", {{"spec", std::move(job)}}}};
}

}  // namespace

bool fill_args(std::string& text, const Args& args) {
  std::string filled;
  bool all = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = std::min(text.find("{{", at), text.size());
    const std::size_t end = text.find("}}", begin);
    filled += text.substr(at, begin - at);
    if (end == std::string::npos) {
      filled += text.substr(begin);
      break;
    }
    const std::string whole = text.substr(begin, end + 2 - begin);
    const std::string word(util::trim(std::string_view(whole).substr(2, whole.size() - 4)));
    const auto found = word.starts_with("args.") ? args.find(word.substr(5)) : args.end();
    all = all && found != args.end();
    filled += found == args.end() ? whole : found->second;
    at = end + 2;
  }
  text = std::move(filled);
  return all;
}

Json provider_of(const Fields& metric, const Args& args, Release& release) {
  const Fields provider = metric.at("provider");
  if (const Fields given = provider.at("prometheus")) {
    return prometheus_query(given, args, release);
  }
  if (const Fields given = provider.at("web")) {
    return web_of(given, args);
  }
  if (const Fields given = provider.at("job")) {
    return job_of(given, args);
  }
  metric.note("provider",
              "a release asks Prometheus, a web address or a job, so the metric is left out");
  return {};
}

}  // namespace kubist::convert
