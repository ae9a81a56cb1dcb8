#include "header_changes.hpp"

#include <re2/re2.h>

#include <kubist/data/pointer.hpp>
#include <kubist/util/text.hpp>

namespace kubist::traffic {
namespace {

using data::Json;
using util::cat;

/// RFC 9110, section 5.6.2; Envoy takes no pseudo header here.
bool is_name(const std::string& name) {
  static const RE2 token("[-A-Za-z0-9!#$&'*+.^_`|~]+");
  return RE2::FullMatch(name, token);
}

}  // namespace

// Envoy puts what it knows in the place of %COMMAND%, and some commands read files of the proxy. Of
// those that tell of the request the plain ones are here:
// https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage
bool is_header_value(const std::string& value) {
  static const RE2 safe(
      "(?:[^%[:cntrl:]]|\\t|%%|%(?:PROTOCOL|HOSTNAME|START_TIME|ROUTE_NAME|CONNECTION_ID|"
      "REQUESTED_SERVER_NAME|RESPONSE_CODE|RESPONSE_FLAGS|"
      "DOWNSTREAM_(?:REMOTE|DIRECT_REMOTE|LOCAL)_ADDRESS(?:_WITHOUT_PORT)?|"
      "DOWNSTREAM_(?:PEER_URI_SAN|PEER_SUBJECT|TLS_VERSION|TLS_CIPHER)|"
      "UPSTREAM_(?:REMOTE_ADDRESS|CLUSTER)|(?:REQ|RESP)\\([-A-Za-z0-9]+\\))%)*");
  return RE2::FullMatch(value, safe);
}

std::string header_problem(const Json& changes) {
  for (const char* field : {"set", "add"}) {
    for (const auto& [name, value] : data::object_at(changes, {field}).items()) {
      if (!is_name(name)) {
        return cat("\"", name, "\" is no name of a header");
      }
      if (!value.is_string() || !is_header_value(value.get<std::string>())) {
        return cat("the value of ", name,
                   " has a control character, or a % that is neither %% nor one of Envoy's plain "
                   "commands, such as %REQ(NAME)%");
      }
    }
  }
  for (const std::string& name : data::strings_at(changes, {"remove"})) {
    if (!is_name(name) || util::lower(name) == "host") {
      return cat("the header \"", name, "\" cannot be taken away");
    }
  }
  return {};
}

}  // namespace kubist::traffic
