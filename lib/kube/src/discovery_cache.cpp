#include "discovery_cache.hpp"

#include <map>

#include <kubist/kube/discovery.hpp>
#include <kubist/util/fs.hpp>

namespace kubist::kube {

std::filesystem::path discovery_cache_file(const std::string& server) {
  std::string name =
      server.substr(server.find("://") == std::string::npos ? 0 : server.find("://") + 3);
  for (char& c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    c = plain ? c : '_';
  }
  const std::filesystem::path folder = util::cache_folder();
  return folder.empty() ? folder : folder / "discovery" / name;
}

void keep_few(const std::filesystem::path& folder) {
  constexpr std::size_t k_most_servers = 500;
  std::error_code ignored;
  std::multimap<std::filesystem::file_time_type, std::filesystem::path> by_age;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    by_age.emplace(entry.last_write_time(ignored), entry.path());
  }
  for (; by_age.size() > k_most_servers; by_age.erase(by_age.begin())) {
    const std::filesystem::path& oldest = by_age.begin()->second;
    std::filesystem::remove(oldest, ignored);
    std::filesystem::remove_all(folder.parent_path() / "openapi" / oldest.filename(), ignored);
  }
}

}  // namespace kubist::kube
