#include "world/addresses.hpp"

#include <algorithm>

#include <kubist/http/address.hpp>
#include <kubist/http/transport.hpp>
#include <kubist/http/url.hpp>
#include <kubist/util/text.hpp>

#include "world/allow_lists.hpp"
#include "world/patterns.hpp"

namespace kubist::executors {

using util::cat;

namespace {

tl::unexpected<util::Error> address_not_allowed(std::string message, std::string hint) {
  return util::fail(util::make_error(util::ErrorKind::forbidden, std::move(message),
                                     std::move(hint), std::string(http::k_failure_address)));
}

constexpr std::string_view k_oci = "oci://";

bool is_granted_url(const engine::Graph& graph, const engine::Node& node, std::string_view purpose,
                    std::string_view url) {
  const auto lists = allow_lists(graph, node, purpose);
  return std::any_of(lists.begin(), lists.end(),
                     [&](const data::Json* list) { return url_matches_any(list, url); });
}

/// Of other hosts nobody knows what libcurl makes of them: it decodes %2f and takes other
/// alphabets.
bool is_plain(std::string_view host) {
  return std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == ':';
  });
}

/// A pattern's end would hold for what is not below it.
bool climbs(std::string_view path) {
  const std::string plain = util::replace_all(util::lower(path), "%2e", ".");
  const auto steps = util::split(util::replace_all(plain, "%2f", "/"), '/');
  return std::any_of(steps.begin(), steps.end(),
                     [](const std::string& step) { return step == "." || step == ".."; });
}

}  // namespace

bool is_never_allowed(std::string_view url) {
  const auto parsed = http::parse_url(url);
  return !parsed || !parsed->userinfo.empty() || climbs(parsed->path) || !is_plain(parsed->host) ||
         http::is_link_local(parsed->host);
}

util::Result<> check_address(std::string_view url, const std::string& called) {
  if (is_never_allowed(url)) {
    return address_not_allowed(
        cat(called, " is none that may be asked"),
        "Give an http or https URL without a user's name and without '..', not a link-local one.");
  }
  return {};
}

util::Result<> check_address(const engine::Graph& graph, const engine::Node& node,
                             std::string_view purpose, std::string_view url,
                             const std::string& called) {
  KUBIST_CHECK(check_address(url, called));
  if (is_granted_url(graph, node, purpose, url)) {
    return {};
  }
  return address_not_allowed(cat(called, " is not one that the Project allows"),
                             cat("An administrator can add it to spec.allow.", purpose,
                                 " of the Project or of the Root."));
}

util::Result<> check_chart_address(const engine::Graph& graph, const engine::Node* project,
                                   const std::string& url) {
  const std::string called = cat("the address ", http::redacted(url), " of the chart");
  const std::string as_https =
      url.starts_with(k_oci) ? cat("https://", url.substr(k_oci.size())) : url;
  KUBIST_CHECK(check_address(as_https, called));
  const std::string host = http::parse_url(as_https)->host;
  const auto addresses = http::addresses_of(host);
  if (std::any_of(addresses.begin(), addresses.end(), http::is_link_local)) {
    return address_not_allowed(cat(called, " is none that may be asked"),
                               "Name another than a link-local one.");
  }
  const bool internal =
      http::is_loopback(host) || std::any_of(addresses.begin(), addresses.end(), http::is_internal);
  const auto root = graph.find({std::string(resources::k_kubist_group), "Root", "", "root"});
  const engine::Node* above = project != nullptr ? project
                              : root.empty()     ? nullptr
                                                 : &graph[root[0]];
  if (!internal || (above != nullptr && is_granted_url(graph, *above, "charts", url))) {
    return {};
  }
  return address_not_allowed(
      cat(called, " is internal, and the ", project != nullptr ? "Project" : "Root",
          " does not allow it"),
      project != nullptr
          ? "An administrator can add it to spec.allow.charts of the Project or of the Root."
          : "An administrator can add it to spec.allow.charts of the Root.");
}

}  // namespace kubist::executors
