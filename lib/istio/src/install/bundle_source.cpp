#include "install/bundle_source.hpp"

#include <kubist/resources/manifest_files.hpp>
#include <kubist/state/archive.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/sha256.hpp>
#include <kubist/util/text.hpp>

namespace kubist::istio {

using util::cat;
using util::ErrorKind;
namespace fs = std::filesystem;

namespace {

bool is_url(std::string_view location) {
  return location.starts_with("https://") || location.starts_with("http://");
}

// RFC 1952; YAML and JSON have no such bytes.
bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

util::Error too_large(const std::string& location) {
  return util::make_error(
      ErrorKind::invalid,
      cat(location, " has more than ", k_max_bundle_bytes >> 20U,
          " MB of manifests: that is no installation of Istio"),
      "Name the file that istioctl manifest generate or helm template printed.");
}

util::Result<> check_sha256(const Source& source, const std::string& found) {
  if (source.sha256.empty() || util::lower(source.sha256) == found) {
    return {};
  }
  return util::fail(ErrorKind::invalid,
                    cat(source.location, " has the SHA-256 ", found, ", not ", source.sha256),
                    "The file is incomplete or was modified after its checksum was taken.");
}

// Texts of files, named below `shown`; `lines` become what sha256sum prints of them.
util::Result<> read_files(const std::vector<fs::path>& files, const fs::path& folder,
                          const std::string& shown, SourceTexts& texts, std::string& lines) {
  std::size_t left = k_max_bundle_bytes;
  for (const fs::path& file : files) {
    std::error_code error;
    const auto size = fs::file_size(file, error);
    if (!error && size > left) {
      return util::fail(too_large(shown));
    }
    KUBIST_TRY(std::string text, util::read_file(file, left + 1));
    left -= std::min(left, text.size());
    const std::string name = fs::relative(file, folder, error).string();
    lines += cat(util::sha256_hex(text), "  ", name, '\n');
    texts.files.emplace_back((fs::path(shown) / name).string(), std::move(text));
  }
  if (files.empty()) {
    return util::fail(ErrorKind::invalid, cat(shown, " has no .yaml, .yml or .json file"));
  }
  return {};
}

util::Result<SourceTexts> read_folder(const Source& source) {
  KUBIST_TRY(const auto files, resources::manifest_files(source.location, false));
  SourceTexts texts;
  std::string lines;
  KUBIST_CHECK(read_files(files, source.location, source.location, texts, lines));
  texts.sha256 = util::sha256_hex(lines);
  KUBIST_CHECK(check_sha256(source, texts.sha256));
  return texts;
}

util::Result<> unpack(const std::string& bytes, const std::string& location, SourceTexts& texts) {
  const util::TempDir folder("istio-archive");
  if (auto unpacked = state::unpack(bytes, folder.path(), k_max_bundle_bytes); !unpacked) {
    return util::fail(util::with_context(std::move(unpacked).error(), location));
  }
  KUBIST_TRY(const auto files, resources::manifest_files(folder.path(), true));
  std::string lines;
  return read_files(files, folder.path(), location, texts, lines);
}

util::Result<std::string> read_bytes(const Source& source) {
  if (source.content) {
    return *source.content;
  }
  if (!is_url(source.location)) {
    std::error_code error;
    const auto size = fs::file_size(source.location, error);
    if (!error && size > k_max_bundle_bytes) {
      return util::fail(too_large(source.location));
    }
    return util::read_file(source.location, k_max_bundle_bytes + 1);
  }
  if (source.sha256.empty()) {
    return util::fail(ErrorKind::invalid, cat(source.location, " is a URL: give its SHA-256"),
                      "Whoever has that server could change what is installed.");
  }
  if (!source.fetch) {
    return util::fail(ErrorKind::invalid,
                      cat("cannot read ", source.location, ": URLs are not taken here"));
  }
  return source.fetch(source.location);
}

}  // namespace

util::Result<SourceTexts> read_source(const Source& source) {
  std::error_code error;
  if (!source.content && !is_url(source.location) && fs::is_directory(source.location, error)) {
    return read_folder(source);
  }
  KUBIST_TRY(std::string bytes, read_bytes(source));
  if (bytes.size() > k_max_bundle_bytes) {
    return util::fail(too_large(source.location));
  }
  SourceTexts texts;
  texts.sha256 = util::sha256_hex(bytes);
  KUBIST_CHECK(check_sha256(source, texts.sha256));
  if (is_gzip(bytes)) {
    KUBIST_CHECK(unpack(bytes, source.location, texts));
  } else {
    texts.files.emplace_back(source.location, std::move(bytes));
  }
  return texts;
}

}  // namespace kubist::istio
