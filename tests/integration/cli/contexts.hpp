#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "both.hpp"

namespace kubist::testing {

/// A kubeconfig with contexts of these names for the planes of the test cluster ("home",
/// "target1"); "nobody" is a server that is not there. The first one is the current context.
class Contexts {
 public:
  explicit Contexts(const std::vector<std::pair<std::string, std::string>>& planes) {
    data::Json config{{"apiVersion", "v1"},
                      {"kind", "Config"},
                      {"clusters", data::Json::array()},
                      {"users", data::Json::array()},
                      {"contexts", data::Json::array()},
                      {"current-context", planes.front().first}};
    for (const auto& [context, plane] : planes) {
      const bool nobody = plane == "nobody";
      const data::Json file = read(nobody ? "home" : plane);
      data::Json cluster = file["clusters"][0]["cluster"];
      if (nobody) {
        cluster["server"] = "https://10.77.0.2:1";
      }
      config["clusters"].push_back({{"name", context}, {"cluster", cluster}});
      config["users"].push_back({{"name", context}, {"user", file["users"][0]["user"]}});
      config["contexts"].push_back(
          {{"name", context}, {"context", {{"cluster", context}, {"user", context}}}});
    }
    REQUIRE(util::write_file(file(), config.dump()));
  }
  std::string file() const { return (m_folder.path() / "config").string(); }
  /// What either program says to these words with this kubeconfig.
  Ran kubist(std::vector<std::string> words) const { return run_kubist(with_file(words)); }
  Ran kubectl(std::vector<std::string> words) const { return testing::kubectl(with_file(words)); }

 private:
  static data::Json read(const std::string& plane) {
    const std::filesystem::path home = util::environment("KUBECONFIG");
    const Ran ran = testing::kubectl({"config", "view", "--raw", "--minify", "-o", "json",
                                      "--kubeconfig", (home.parent_path() / plane).string()});
    REQUIRE_MESSAGE(ran.code == 0, ran.err);
    return data::Json::parse(ran.out);
  }
  std::vector<std::string> with_file(std::vector<std::string> words) const {
    words.insert(words.end(), {"--kubeconfig", file()});
    return words;
  }
  util::TempDir m_folder{"contexts"};
};

}  // namespace kubist::testing
