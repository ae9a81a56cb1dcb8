#include "policy_files.hpp"

#include <filesystem>
#include <iostream>
#include <iterator>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/manifest_files.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

using data::Json;
using util::cat;
using util::ErrorKind;
namespace fs = std::filesystem;

namespace {

util::Result<std::vector<fs::path>> files_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return std::vector<fs::path>{path};
  }
  return resources::manifest_files(path, true);
}

bool is_definition(const Json& document) {
  const std::string_view kind = data::string_at(document, {"kind"});
  return kind == "PolicyDefinition" || kind == "ClusterPolicyDefinition";
}

util::Result<> take_definition(data::Document& document, PolicyFiles& files) {
  data::erase_path(document.value, {"metadata", "namespace"});
  const std::string_view name = data::string_at(document.value, {"metadata", "name"});
  for (const Json& other : files.definitions) {
    if (data::string_at(other, {"metadata", "name"}) == name) {
      return util::fail(util::make_error(ErrorKind::invalid, document.start,
                                         cat("policy ", name, " is defined twice")));
    }
  }
  files.definitions.push_back(std::move(document.value));
  return {};
}

util::Result<> take_case(const data::Document& document, const std::string& name,
                         PolicyFiles& files) {
  auto test = engine::read_policy_case(document.value, name);
  if (!test) {
    util::Error error = test.error();
    error.pos = document.start;
    return util::fail(std::move(error));
  }
  files.cases.push_back(std::move(*test));
  return {};
}

util::Result<> take(data::Document& document, const std::string& file, PolicyFiles& files) {
  if (is_definition(document.value)) {
    return take_definition(document, files);
  }
  if (document.value.is_object() && document.value.contains("input")) {
    return take_case(document, cat(fs::path(file).stem().string(), '/', document.index), files);
  }
  if (!data::string_at(document.value, {"apiVersion"}).empty()) {
    return {};
  }
  return util::fail(util::make_error(ErrorKind::invalid, document.start,
                                     "neither a policy definition nor a case",
                                     "A case has policy, input, and expected or error."));
}

}  // namespace

util::Result<PolicyFiles> read_policy_files(const std::vector<std::string>& paths) {
  PolicyFiles files;
  for (const std::string& path : paths) {
    KUBIST_TRY(const auto names, files_of(path));
    for (const fs::path& name : names) {
      const std::string file = name.string();
      KUBIST_TRY(const std::string text, util::read_file(file));
      KUBIST_TRY(auto documents, data::read_documents(text, file));
      for (data::Document& document : documents) {
        KUBIST_CHECK(take(document, file, files));
      }
    }
  }
  return files;
}

util::Result<Json> read_input(const std::string& path) {
  std::string text;
  if (path == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    KUBIST_TRY(text, util::read_file(path));
  }
  KUBIST_TRY(data::Document document, data::read_document(text, path == "-" ? "stdin" : path));
  return std::move(document.value);
}

}  // namespace kubist::cli
