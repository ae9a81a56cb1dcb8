#include "service_proxy.hpp"

#include <kubist/util/text.hpp>

namespace kubist::metrics {

std::optional<std::string> service_proxy(std::string_view ns, std::string_view service,
                                         std::string_view path) {
  const std::string plain = util::replace_all(util::lower(path), "%2e", ".");
  if (ns.empty() || service.empty() ||
      service.find_first_of("/?#% \t\n") != std::string_view::npos ||
      path.find_first_of("# \t\n") != std::string_view::npos ||
      plain.find("..") != std::string::npos) {
    return std::nullopt;
  }
  return util::cat("/api/v1/namespaces/", util::percent_encode(ns), "/services/", service, "/proxy",
                   path);
}

}  // namespace kubist::metrics
