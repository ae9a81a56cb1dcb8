#include "report/place.hpp"

#include <filesystem>
#include <map>

#include <kubist/util/fs.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

namespace fs = std::filesystem;
using util::cat;

std::string repository_path(const std::string& origin) {
  if (origin.empty() || origin == "stdin" || origin.find("://") != std::string::npos) {
    return origin;
  }
  std::error_code failed;
  const fs::path working = fs::current_path(failed);
  const fs::path file = (working / origin).lexically_normal();
  for (const fs::path& root : {fs::path(util::environment("GITHUB_WORKSPACE")),
                               fs::path(util::environment("CI_PROJECT_DIR")),
                               fs::path(util::environment("WORKSPACE")), working}) {
    const fs::path below = root.empty() ? fs::path() : file.lexically_relative(root);
    if (!below.empty() && *below.begin() != "..") {
      return below.string();
    }
  }
  return file.string();
}

std::vector<std::pair<const ReportCase*, std::string>> findings(const RunReport& report) {
  constexpr std::size_t k_digits = 32;
  std::vector<std::pair<const ReportCase*, std::string>> found;
  std::map<std::string, int> seen;
  for (const ReportCase& each : report.cases) {
    if (each.is_finding()) {
      const std::string about = cat(report.title, '\n', repository_path(each.pos.origin), '\n',
                                    each.reason, '\n', each.name, '\n', each.message);
      found.emplace_back(&each,
                         util::sha256_hex(cat(about, '\n', seen[about]++)).substr(0, k_digits));
    }
  }
  return found;
}

}  // namespace kubist::cli
