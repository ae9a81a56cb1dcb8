#pragma once
#include <string>
#include <string_view>

#include <kubist/http/request.hpp>

namespace kubist::kube {

/// What a request asks for, as an API server's authorizer has it.
/// https://kubernetes.io/docs/reference/access-authn-authz/authorization/#determine-the-request-verb
struct RequestInfo {
  std::string verb;         ///< "get", "list", "watch", "create", "update", "patch", "delete", ...
  std::string group;        ///< empty: the core group
  std::string resource;     ///< plural; empty: no object (discovery, version)
  std::string subresource;  ///< "status"; with more behind it ("proxy/metrics") only the first
  std::string ns;           ///< empty: of the cluster, or in all namespaces; also of a Namespace
  std::string name;         ///< empty: a collection

  /// "patch secrets shop/db".
  std::string to_string() const;
};

/// Of a request to the API server at that URL. Pure. The path's parts are decoded first, as the
/// server does; a path of another form counts as an object of the cluster.
RequestInfo request_info(const http::Request& request, std::string_view server);

}  // namespace kubist::kube
