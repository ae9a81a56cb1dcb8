#include <vector>

#include <kubist/kube/request_info.hpp>
#include <kubist/util/text.hpp>

namespace kubist::kube {
namespace {

using util::cat;

std::string verb_of(const http::Request& request, bool collection) {
  if (request.method == "GET") {
    const bool watches = request.url.find("watch=true") != std::string::npos ||
                         request.url.find("watch=1") != std::string::npos;
    return watches ? "watch" : collection ? "list" : "get";
  }
  if (request.method == "DELETE") {
    return collection ? "deletecollection" : "delete";
  }
  return request.method == "POST" ? "create" : request.method == "PUT" ? "update" : "patch";
}

}  // namespace

RequestInfo request_info(const http::Request& request, std::string_view server) {
  std::string_view path = request.url;
  path.remove_prefix(path.starts_with(server) ? server.size() : 0);
  path = path.substr(0, path.find_first_of("?#"));
  path.remove_prefix(path.starts_with('/') ? 1 : 0);
  std::vector<std::string> parts = util::split(path, '/');
  for (std::string& part : parts) {
    part = util::percent_decode(part);
  }
  const auto part = [&](std::size_t i) { return i < parts.size() ? parts[i] : std::string(); };
  RequestInfo info;
  // api/VERSION/..., apis/GROUP/VERSION/..., version, openapi/...
  std::size_t at = part(0) == "api" ? 2 : part(0) == "apis" ? 3 : 0;
  info.group = at == 3 ? part(1) : "";
  // namespaces/NS/RESOURCE, but for the subresources of a Namespace itself.
  const bool below = at > 0 && part(at) == "namespaces" && !part(at + 2).empty();
  if (below && part(at + 2) != "status" && part(at + 2) != "finalize") {
    info.ns = part(at + 1);
    at += 2;
  }
  if (at > 0 || (part(0) != "version" && part(0) != "openapi")) {
    info.resource = part(at);
    info.name = part(at + 1);
    info.subresource = part(at + 2);
  }
  info.verb = verb_of(request, info.name.empty());
  return info;
}

std::string RequestInfo::to_string() const {
  return cat(verb, ' ', resource, group.empty() ? "" : ".", group, subresource.empty() ? "" : "/",
             subresource, ' ', ns, ns.empty() || name.empty() ? "" : "/", name);
}

}  // namespace kubist::kube
