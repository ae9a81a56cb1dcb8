#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <kubist/data/document.hpp>

#include "support/paths.hpp"

/// What kubectl made of tests/data/kubectl/input (see `regenerate` there).
namespace golden {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::filesystem::path root() {
  return std::filesystem::path(kubist::paths::source_dir()) / "tests/data/kubectl";
}

inline std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(root() / "json")) {
    names.push_back(entry.path().stem());
  }
  REQUIRE(names.size() >= 7);
  return names;
}

inline kubist::data::ReadOptions as_kubectl() {
  kubist::data::ReadOptions options;
  options.duplicate_keys = kubist::data::DuplicateKeys::last_wins;
  options.big_integers = kubist::data::BigIntegers::as_float;
  return options;
}

inline std::vector<kubist::data::Document> documents(const std::filesystem::path& path) {
  auto documents = kubist::data::read_documents(read_file(path), path.filename(), as_kubectl());
  if (!documents) {
    throw std::runtime_error(documents.error().to_string());
  }
  return std::move(*documents);
}

inline std::vector<kubist::data::Document> input(const std::string& name) {
  const auto yaml = root() / "input" / (name + ".yaml");
  return documents(std::filesystem::exists(yaml) ? yaml : root() / "input" / (name + ".json"));
}

}  // namespace golden
