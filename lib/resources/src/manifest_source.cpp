#include "manifest_source.hpp"

#include <filesystem>
#include <iostream>

#include <kubist/resources/manifest_files.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

namespace kubist::resources {

namespace fs = std::filesystem;
using util::cat;
using util::ErrorKind;

namespace {

/// What the reader of documents takes at most; more is read no further than to see that it is more.
constexpr std::size_t k_max_bytes = std::size_t{256} << 20U;

util::Result<ManifestText> read_stdin(std::istream& in) {
  std::string text;
  std::vector<char> block(std::size_t{64} << 10U);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > k_max_bytes) {
      return util::fail(ErrorKind::invalid, util::SourcePos{"stdin"},
                        cat("the input is larger than ", k_max_bytes >> 20U, " MiB"),
                        "split it, and pass the parts one after another");
    }
  }
  return ManifestText{std::move(text), "stdin"};
}

util::Result<ManifestText> read_path(const fs::path& path) {
  KUBIST_TRY(std::string text, util::read_file(path, k_max_bytes));
  return ManifestText{std::move(text), path.string()};
}

util::Result<ManifestText> read_url(const std::string& url, const ManifestOptions& options) {
  if (!options.fetch) {
    return util::fail(ErrorKind::usage, cat("cannot read ", url, ": URLs are not taken here"));
  }
  KUBIST_TRY(std::string text, options.fetch(url));
  return ManifestText{std::move(text), url};
}

std::vector<util::Result<ManifestText>> read_folder(const fs::path& folder, bool recursive) {
  std::vector<util::Result<ManifestText>> texts;
  auto files = manifest_files(folder, recursive);
  if (!files) {
    texts.emplace_back(util::fail(std::move(files).error()));
    return texts;
  }
  if (files->empty()) {
    texts.emplace_back(util::fail(ErrorKind::not_found,
                                  cat(folder.string(), " has no .yaml, .yml or .json files"),
                                  recursive ? "" : "-R also looks into the folders below it"));
  }
  for (const fs::path& file : *files) {
    texts.push_back(read_path(file));
  }
  return texts;
}

}  // namespace

std::vector<util::Result<ManifestText>> read_sources(const std::string& path,
                                                     const ManifestOptions& options) {
  std::vector<util::Result<ManifestText>> texts;
  if (path == "-") {
    texts.push_back(read_stdin(options.standard_input ? *options.standard_input : std::cin));
  } else if (path.starts_with("http://") || path.starts_with("https://")) {
    texts.push_back(read_url(path, options));
  } else if (std::error_code ignored; fs::is_directory(path, ignored)) {
    return read_folder(path, options.recursive);
  } else {
    texts.push_back(read_path(path));
  }
  return texts;
}

}  // namespace kubist::resources
