#include <algorithm>
#include <string>

#include <kubist/resources/manifest_files.hpp>
#include <kubist/util/text.hpp>

namespace kubist::resources {

namespace fs = std::filesystem;

namespace {

template <class Iterator>
std::error_code take_files(const fs::path& folder, std::vector<fs::path>& files) {
  std::error_code error;
  for (Iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored) && is_manifest_file(entry->path())) {
      files.push_back(entry->path());
    }
  }
  return error;
}

}  // namespace

bool is_manifest_file(const fs::path& path) {
  // kubectl's resource.FileExtensions.
  const std::string extension = path.extension().string();
  return extension == ".json" || extension == ".yaml" || extension == ".yml";
}

util::Result<std::vector<fs::path>> manifest_files(const fs::path& folder, bool recursive) {
  std::vector<fs::path> files;
  const std::error_code error = recursive
                                    ? take_files<fs::recursive_directory_iterator>(folder, files)
                                    : take_files<fs::directory_iterator>(folder, files);
  if (error) {
    return util::fail(util::ErrorKind::invalid,
                      util::cat("cannot list ", folder.string(), ": ", error.message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace kubist::resources
