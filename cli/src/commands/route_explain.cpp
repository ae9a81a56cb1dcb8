#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/data/yaml_writer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/traffic/http_route.hpp>
#include <kubist/traffic/virtual_service.hpp>
#include <kubist/util/text.hpp>

#include "../input.hpp"
#include "../output/document.hpp"
#include "../output/route_lines.hpp"
#include "../query/targets.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;
using util::ErrorKind;
using util::Result;

// A route of one rule, so that a condition is explained as a route is.
Json route_of_condition(const std::string& condition) {
  const Json backend{{"destination", "there"}};
  const Json rule{{"name", "condition"}, {"condition", condition}, {"weights", {backend}}};
  return {{"kind", "TrafficRoute"},
          {"metadata", {{"name", "example"}}},
          {"spec", {{"hosts", {"example"}}, {"routes", {rule}}}}};
}

Result<Json> of_files(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const auto manifests, read_input(context, arguments));
  const std::string name = arguments.words().empty() ? "" : arguments.words()[0];
  const Json* found = nullptr;
  for (const resources::Manifest& manifest : manifests) {
    const resources::ObjectView view(manifest.object);
    if (view.kind() != "TrafficRoute" || (!name.empty() && view.name() != name)) {
      continue;
    }
    if (found != nullptr) {
      return util::fail(ErrorKind::usage, "the input has several TrafficRoutes",
                        "Name the one that you mean.");
    }
    found = &manifest.object;
  }
  if (found == nullptr) {
    return util::fail(ErrorKind::not_found, cat("the input has no TrafficRoute",
                                                name.empty() ? "" : cat(" named ", name)));
  }
  KUBIST_CHECK(check_input(manifests, nullptr, arguments.text("namespace"), context.stop()));
  return *found;
}

Result<Json> read_object(Context& context, const Arguments& arguments) {
  if (arguments.given("condition")) {
    if (arguments.given("filename") || !arguments.words().empty()) {
      return util::fail(ErrorKind::usage, "--condition goes without a route");
    }
    return route_of_condition(arguments.text("condition"));
  }
  if (arguments.given("filename")) {
    return of_files(context, arguments);
  }
  if (arguments.words().empty()) {
    return util::fail(ErrorKind::usage, "which route?",
                      "Name a TrafficRoute, or give -f FILE or --condition TEXT.");
  }
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const std::string ns, context.ns());
  KUBIST_TRY(const auto resource, find_resource(*client, "trafficroutes", context.stop()));
  return client->json(kube::get(resource, ns, arguments.words()[0]), context.stop());
}

Result<std::pair<std::string, std::string>> split_pair(const std::string& text, char separator,
                                                       std::string_view form) {
  const auto at = text.find(separator);
  if (at == 0 || at == std::string::npos) {
    return util::fail(ErrorKind::usage, cat('"', text, "\" is not of the form ", form));
  }
  return std::pair(std::string(util::trim(text.substr(0, at))),
                   std::string(util::trim(text.substr(at + 1))));
}

Result<traffic::Request> read_request(const Arguments& arguments) {
  traffic::Request request{.uri = arguments.text("request"),
                           .method = arguments.text("method"),
                           .scheme = arguments.text("scheme"),
                           .authority = arguments.text("host"),
                           .port = static_cast<std::uint16_t>(arguments.number("port")),
                           .headers = {}};
  if (!request.uri.starts_with('/')) {
    return util::fail(ErrorKind::usage, cat("--request ", request.uri, " is no path"),
                      "Give the path, such as /cart?id=1.");
  }
  for (const std::string& header : arguments.list("header")) {
    KUBIST_TRY(const auto pair, split_pair(header, ':', "NAME: VALUE"));
    request.headers[util::lower(pair.first)] = pair.second;
  }
  for (const std::string& cookie : arguments.list("cookie")) {
    KUBIST_TRY(const auto pair, split_pair(cookie, '=', "NAME=VALUE"));
    std::string& all = request.headers["cookie"];
    all += cat(all.empty() ? "" : "; ", pair.first, '=', pair.second);
  }
  return request;
}

Result<int> print_compiled(Context& context, const traffic::Route& route,
                           const traffic::Place& place, bool http_route) {
  KUBIST_TRY(Json spec, http_route ? traffic::http_route_spec(route, place)
                                   : traffic::virtual_service_spec(route, place));
  const Json object{
      {"apiVersion", http_route ? "gateway.networking.k8s.io/v1" : "networking.istio.io/v1"},
      {"kind", http_route ? "HTTPRoute" : "VirtualService"},
      {"metadata", {{"name", route.name}, {"namespace", place.ns}}},
      {"spec", std::move(spec)}};
  context.out().write(data::to_yaml(object));
  for (const std::string& note :
       http_route ? traffic::http_route_notes(route) : std::vector<std::string>{}) {
    context.log().line(cat("note: ", note));
  }
  return k_ok;
}

std::string taken_line(const std::string& uri, const traffic::Rule* taken) {
  return taken == nullptr ? cat("\nA request for ", uri, " takes none of them.\n")
                          : cat("\nA request for ", uri, " takes ", taken->name, ": to ",
                                backend_words(*taken), '\n');
}

Result<int> run_route_explain(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const Json object, read_object(context, arguments));
  KUBIST_TRY(const traffic::Route route, traffic::read_route(object));
  const traffic::Place place{arguments.text("target-namespace")};
  const std::string form = arguments.text("output");
  if (form == "virtualservice" || form == "httproute") {
    return print_compiled(context, route, place, form == "httproute");
  }
  const traffic::Rule* taken = nullptr;
  const bool asked = arguments.given("request");
  if (asked) {
    KUBIST_TRY(const traffic::Request request, read_request(arguments));
    taken = traffic::rule_for(route, request);
  }
  KUBIST_TRY(const bool printed, print_document(context, route_json(route, place, taken)));
  if (!printed) {
    context.out().write(arguments.given("condition") ? condition_lines(route.rules[0].condition)
                                                     : route_lines(route, place));
    context.out().write(asked ? taken_line(arguments.text("request"), taken) : "");
  }
  return asked && taken == nullptr ? k_not_ready : k_ok;
}

}  // namespace

CommandSpec route_explain_command() {
  return {
      .path = "route explain",
      .group = "Releases and traffic",
      .summary = "Say which requests a TrafficRoute takes, and where they go",
      .details =
          "Writes out the conditions of a route as the mesh will try them, the first that holds is "
          "taken, and the share of each destination. With --request it says which of them a "
          "request takes (3 when none does). With -o virtualservice or httproute it prints what "
          "would be written; names are those of --target-namespace, the virtual cluster's. Nothing "
          "is written; with -f and --condition no cluster is needed.",
      .arguments = "[NAME]",
      .max_words = 1,
      .flags =
          {filename_flag(),
           recursive_flag(),
           {"condition", 0, FlagKind::text, "TEXT", "explain only this condition"},
           {"request", 0, FlagKind::text, "PATH", "which route does a request for it take?"},
           {"method", 0, FlagKind::text, "METHOD", "the request's method", "GET"},
           {"scheme", 0, FlagKind::text, "SCHEME", "the request's scheme", "http"},
           {"host", 0, FlagKind::text, "HOST", "the request's authority"},
           {"port", 0, FlagKind::number, "PORT", "the port that the request comes in by"},
           {"header", 'H', FlagKind::list, "NAME: VALUE", "a header of the request"},
           {"cookie", 0, FlagKind::list, "NAME=VALUE", "a cookie of the request"},
           {"target-namespace", 0, FlagKind::text, "NS", "where the route's objects are kept",
            "NAMESPACE"},
           document_flag(
               "json, yaml, jsonpath=TEMPLATE, virtualservice or httproute, or nothing for people",
               "", {"virtualservice", "httproute"})},
      .examples = {{"What does a route of a file do?", "kubist route explain -f route.yaml"},
                   {"Who answers this request?",
                    "kubist route explain shop --request /cart -H 'x-user: anna'"},
                   {"Try a condition",
                    "kubist route explain --condition 'uri prefix \"/a\" and not cookie \"beta\" "
                    "present'"}},
      .run = run_route_explain};
}

}  // namespace kubist::cli
