#include <kubist/data/json_text.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "helm/helm_render.hpp"

namespace kubist::deployers {

util::Result<> write_login(const std::filesystem::path& config_home, const ChartSource& chart,
                           const ChartLogin& login) {
  if (!chart.repo.empty()) {
    const Json repository{{"name", k_login_repo},
                          {"url", chart.repo},
                          {"username", login.user},
                          {"password", login.password}};
    return util::write_file(config_home / "repositories.yaml",
                            data::to_json({{"apiVersion", ""},
                                           {"generated", "0001-01-01T00:00:00Z"},
                                           {"repositories", Json::array({repository})}}));
  }
  constexpr std::string_view k_scheme = "oci://";
  const std::string_view path = std::string_view(chart.reference).substr(k_scheme.size());
  const std::string host(path.substr(0, path.find('/')));
  const std::string auth = util::base64_encode(util::cat(login.user, ":", login.password));
  return util::write_file(config_home / "registry" / "config.json",
                          data::to_json({{"auths", {{host, {{"auth", auth}}}}}}));
}

}  // namespace kubist::deployers
