#include <algorithm>

#include <kubist/util/fs.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

#include "helm/helm_render.hpp"

namespace kubist::deployers {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k_file_limit = std::size_t{64} << 20U;

std::string file_line(const fs::path& file, const std::string& name) {
  const auto bytes = util::read_file(file, k_file_limit);
  return util::cat(name, " ", bytes ? util::sha256_hex(*bytes) : "unreadable", "\n");
}

}  // namespace

std::string local_chart_hash(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) {
    return util::sha256_hex(file_line(path, ""));
  }
  if (!fs::is_regular_file(path / "Chart.yaml", error)) {
    return std::string(k_missing_chart);  // nor is any other folder read from end to end
  }
  std::vector<std::string> lines;
  for (auto entry = fs::recursive_directory_iterator(path, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->is_regular_file(error)) {
      lines.push_back(file_line(entry->path(), fs::relative(entry->path(), path).string()));
    }
  }
  std::sort(lines.begin(), lines.end());
  return util::sha256_hex(util::join(lines, ""));
}

}  // namespace kubist::deployers
