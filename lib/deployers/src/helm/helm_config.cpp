#include "helm/helm_config.hpp"

#include <array>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "item/config_check.hpp"

namespace kubist::deployers {
namespace {

using util::cat;

constexpr std::size_t k_release_limit = 53;  // helm's: names of objects are made from it

constexpr std::string_view k_helm_schema = R"({
  "type": "object",
  "required": ["chart"],
  "properties": {
    "chart": {
      "type": "object",
      "properties": {
        "path": {"type": "string", "minLength": 1},
        "url": {"type": "string", "minLength": 1},
        "oci": {"type": "string", "minLength": 1},
        "repo": {"type": "string", "minLength": 1},
        "name": {"type": "string", "minLength": 1},
        "version": {"type": "string"},
        "plainHttp": {"type": "boolean"},
        "loginFrom": {
          "type": "object",
          "required": ["username", "password"],
          "properties": {"username": {"type": "string", "minLength": 1},
            "password": {"type": "string", "minLength": 1}}},
        "ref": {"type": "string", "minLength": 1},
        "helmChartRepo": {
          "type": "object",
          "required": ["helmChartRepoUrl", "helmChartName"],
          "properties": {"helmChartRepoUrl": {"type": "string", "minLength": 1},
            "helmChartName": {"type": "string", "minLength": 1},
            "helmChartVersion": {"type": "string"}}},
        "archive": {
          "type": "object",
          "properties": {"raw": {"type": "string"},
            "remote": {"type": "object", "required": ["url"],
              "properties": {"url": {"type": "string", "minLength": 1}}}}},
        "fromResource": {"x-kubernetes-preserve-unknown-fields": true},
        "resourceRef": {"x-kubernetes-preserve-unknown-fields": true}
      }},
    "name": {"type": "string", "minLength": 1},
    "namespace": {"type": "string", "minLength": 1},
    "createNamespace": {"type": "boolean"},
    "values": {"type": "object", "nullable": true, "x-kubernetes-preserve-unknown-fields": true},
    "valuesFrom": {"type": "array", "items": {
      "type": "object",
      "required": ["import"],
      "properties": {"import": {"type": "string", "minLength": 1},
        "path": {"type": "string", "maxLength": 1024}}}},
    "exportsFromManifests": {"x-kubernetes-preserve-unknown-fields": true},
    "helmDeployment": {"type": "boolean"},
    "helmDeploymentConfig": {"x-kubernetes-preserve-unknown-fields": true}
  }
})";

std::string text_at(const Json& from, std::initializer_list<std::string_view> keys) {
  return std::string(data::string_at(from, keys));
}

util::Result<> check_url(std::string_view url, std::string_view field) {
  if (!url.starts_with("https://") && !url.starts_with("http://")) {
    return refuse(cat("config.chart.", field, " \"", url, "\" is no http or https URL"));
  }
  return {};
}

/// "host/charts/web:1.2.3" with or without oci://: helm wants the tag as a version.
void read_oci(std::string reference, ChartSource& chart) {
  if (!reference.starts_with("oci://")) {
    reference = cat("oci://", reference);
  }
  const std::size_t slash = reference.rfind('/');
  const std::size_t colon = reference.find(':', slash);
  if (colon != std::string::npos && reference.find('@', slash) == std::string::npos) {
    chart.version = reference.substr(colon + 1);
    reference.resize(colon);
  }
  chart.reference = std::move(reference);
}

util::Result<> read_archive(const Json& archive, ChartSource& chart) {
  if (archive.contains("remote")) {
    chart.reference = text_at(archive, {"remote", "url"});
    return check_url(chart.reference, "archive.remote.url");
  }
  const auto bytes = util::base64_decode(data::string_at(archive, {"raw"}));
  if (!bytes || bytes->empty()) {
    return refuse("config.chart.archive.raw must be a chart archive (.tgz) in base64");
  }
  chart.archive = *bytes;
  return {};
}

constexpr std::array k_sources{"path", "url", "oci", "repo", "ref", "helmChartRepo", "archive"};

util::Result<ChartSource> read_chart(const Json& from) {
  for (const char* field : {"fromResource", "resourceRef"}) {
    if (from.contains(field)) {
      return refuse(cat("config.chart.", field, " is not supported by kubist"),
                    "It needs landscaper's component descriptors; name the chart itself.");
    }
  }
  std::vector<std::string> given;
  for (const char* field : k_sources) {
    if (from.contains(field)) {
      given.emplace_back(field);
    }
  }
  if (given.size() != 1) {
    return refuse(cat("config.chart needs exactly one of ",
                      util::join({k_sources.begin(), k_sources.end()}, ", "), "; it has ",
                      given.empty() ? "none" : util::join(given, " and ")));
  }
  ChartSource chart;
  chart.version = text_at(from, {"version"});
  chart.plain_http = data::bool_at(from, {"plainHttp"});
  const std::string& source = given.front();
  if (source == "repo" || source == "helmChartRepo") {
    const bool own = source == "repo";
    const Json& repo = own ? from : from["helmChartRepo"];
    chart.repo = text_at(repo, {own ? "repo" : "helmChartRepoUrl"});
    chart.reference = text_at(repo, {own ? "name" : "helmChartName"});
    chart.version = text_at(repo, {own ? "version" : "helmChartVersion"});
    KUBIST_CHECK(check_url(chart.repo, source));
    if (chart.reference.empty()) {
      return refuse("config.chart.name is missing: which chart of the repository?");
    }
    if (chart.reference.starts_with(".") || chart.reference.find('/') != std::string::npos) {
      // helm would look for a folder of that name first
      return refuse(
          cat("config.chart: \"", chart.reference, "\" is no name of a chart in a repository"));
    }
  } else if (source == "archive") {
    KUBIST_CHECK(read_archive(from["archive"], chart));
  } else if (source == "oci" || source == "ref") {
    read_oci(text_at(from, {source}), chart);
  } else {
    chart.reference = text_at(from, {source});
    chart.local = source == "path";
    if (!chart.local) {
      KUBIST_CHECK(check_url(chart.reference, source));
    }
  }
  chart.user_import = text_at(from, {"loginFrom", "username"});
  chart.password_import = text_at(from, {"loginFrom", "password"});
  if (!chart.user_import.empty() && chart.repo.empty() && !chart.reference.starts_with("oci://")) {
    return refuse("config.chart.loginFrom is for repositories and OCI registries");
  }
  if (chart.reference.starts_with("-") || chart.version.starts_with("-")) {
    return refuse("config.chart: neither a chart nor a version begins with a dash");
  }
  return chart;
}

}  // namespace

util::Result<HelmConfig> parse_helm(const Item& item) {
  static const data::Schema schema = schema_with_shared(k_helm_schema);
  KUBIST_CHECK(check_config(item, schema, "helm"));
  const Json& from = item.config;
  if (data::bool_at(from, {"helmDeployment"}) || from.contains("helmDeploymentConfig")) {
    return refuse(
        cat("config.",
            from.contains("helmDeploymentConfig") ? "helmDeploymentConfig" : "helmDeployment",
            " is not supported: kubist renders the chart and applies its objects "
            "itself, there is no helm release"),
        "Leave it out.");
  }
  HelmConfig config;
  config.project = item.ns;
  KUBIST_TRY(config.chart, read_chart(from["chart"]));
  config.release = from.contains("name") ? text_at(from, {"name"})
                   : item.name.size() <= k_release_limit
                       ? item.name
                       : short_name(item.name, item.name, k_release_limit);
  if (config.release.size() > k_release_limit || !resources::is_dns_subdomain(config.release)) {
    return refuse(cat("config.name \"", config.release, "\" is no name of a release: at most ",
                      k_release_limit, " of a-z, 0-9, '-' and '.'"));
  }
  config.ns = text_at(from, {"namespace"});
  if (!config.ns.empty() && !resources::is_dns_label(config.ns)) {
    return refuse(cat("config.namespace \"", config.ns, "\" is no name of a namespace"));
  }
  config.create_namespace = data::bool_at(from, {"createNamespace"});
  if (const auto values = from.find("values"); values != from.end() && values->is_object()) {
    config.values = *values;
  }
  for (const Json& one : from.value("valuesFrom", Json::array())) {
    config.values_from.push_back({text_at(one, {"import"}), text_at(one, {"path"})});
  }
  return config;
}

util::Result<ManifestPlan> parse_helm_plan(const Item& item) {
  Json config = item.config;
  // Landscaper's older name for the same list.
  if (const auto old = config.find("exportsFromManifests"); old != config.end()) {
    Json& exports = config["exports"]["exports"];
    exports = exports.is_array() ? exports : Json::array();
    exports.insert(exports.end(), old->begin(), old->end());
    config.erase("exportsFromManifests");
    Json schema{{"type", "object"}, {"properties", {{"exports", shared_fields()["exports"]}}}};
    auto errors = data::Schema::compile(schema)->validate({{"exports", config["exports"]}});
    if (!errors.empty()) {
      return refuse(
          data::combine_errors(std::move(errors), "config.exportsFromManifests").to_string());
    }
  }
  ManifestPlan plan;
  KUBIST_CHECK(read_shared(config, true, plan));
  return plan;
}

}  // namespace kubist::deployers
