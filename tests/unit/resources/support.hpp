#pragma once
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/data/json.hpp>
#include <kubist/util/fs.hpp>

#include "support/paths.hpp"

namespace kubist::resources::test {

/// The documents of a file below tests/data.
inline std::vector<data::Document> test_data(const std::string& file) {
  std::string path = kubist::paths::source_dir() + "/tests/data/" + file;
  auto text = util::read_file(path);
  REQUIRE_MESSAGE(text, path);
  auto documents = data::read_documents(*text, file);
  REQUIRE_MESSAGE(documents, (documents ? "" : documents.error().to_string()));
  return std::move(*documents);
}

/// The "---" keeps a flow map from being read as JSON.
inline data::Json yaml(std::string_view text) {
  auto document = data::read_document("---\n" + std::string(text), "test");
  REQUIRE_MESSAGE(document, (document ? "" : document.error().to_string()));
  return std::move(document->value);
}

}  // namespace kubist::resources::test
