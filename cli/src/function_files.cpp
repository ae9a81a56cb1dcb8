#include "function_files.hpp"

#include <filesystem>
#include <iostream>
#include <iterator>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/resources/manifest_files.hpp>
#include <kubist/resources/source_file.hpp>
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

bool is_definition(FunctionSort sort, const Json& document) {
  const std::string_view kind = data::string_at(document, {"kind"});
  return sort == FunctionSort::executor
             ? kind == engine::k_executor_definition
             : kind == "PolicyDefinition" || kind == "ClusterPolicyDefinition";
}

util::Result<> take_definition(FunctionSort sort, data::Document& document, FunctionFiles& files) {
  data::erase_path(document.value, {"metadata", "namespace"});
  const std::string_view name = data::string_at(document.value, {"metadata", "name"});
  for (const Json& other : files.definitions) {
    if (data::string_at(other, {"metadata", "name"}) == name) {
      return util::fail(util::make_error(ErrorKind::invalid, document.start,
                                         cat(noun(sort), ' ', name, " is defined twice")));
    }
  }
  files.definitions.push_back(std::move(document.value));
  return {};
}

util::Result<> take_case(FunctionSort sort, const data::Document& document, const std::string& name,
                         FunctionFiles& files) {
  auto test = engine::read_policy_case(document.value, name);
  if (!test) {
    util::Error error = test.error();
    error.pos = document.start;
    return util::fail(std::move(error));
  }
  if (test->executor == (sort == FunctionSort::executor)) {
    test->pos = document.start;
    test->lookup = document.lookup();
    files.cases.push_back(std::move(*test));
  }
  return {};
}

util::Result<> take(FunctionSort sort, data::Document& document, const std::string& file,
                    FunctionFiles& files) {
  if (is_definition(sort, document.value)) {
    if (auto taken = resources::take_source_file(document.value, file); !taken) {
      util::Error error = taken.error();
      error.pos = document.start;
      return util::fail(std::move(error));
    }
    return take_definition(sort, document, files);
  }
  if (document.value.is_object() && document.value.contains("input")) {
    return take_case(sort, document, cat(fs::path(file).stem().string(), '/', document.index),
                     files);
  }
  if (!data::string_at(document.value, {"apiVersion"}).empty()) {
    return {};
  }
  return util::fail(util::make_error(
      ErrorKind::invalid, document.start, "neither a definition of a function nor a case",
      cat("A case has ", noun(sort), ", input, and expected or error.")));
}

}  // namespace

std::string_view noun(FunctionSort sort) {
  return sort == FunctionSort::executor ? "executor" : "policy";
}

engine::PolicyCatalog catalog_of(FunctionSort sort, const executors::Catalog& catalog,
                                 const std::vector<Json>& definitions) {
  return sort == FunctionSort::executor ? catalog.functions(definitions)
                                        : catalog.build(definitions);
}

util::Result<FunctionFiles> read_function_files(FunctionSort sort,
                                                const std::vector<std::string>& paths) {
  FunctionFiles files;
  for (const std::string& path : paths) {
    KUBIST_TRY(const auto names, files_of(path));
    for (const fs::path& name : names) {
      const std::string file = name.string();
      KUBIST_TRY(const std::string text, util::read_file(file));
      KUBIST_TRY(auto documents, data::read_documents(text, file));
      for (data::Document& document : documents) {
        KUBIST_CHECK(take(sort, document, file, files));
      }
    }
  }
  return files;
}

util::Result<std::string> function_name(const Arguments& arguments) {
  const std::string& name = arguments.words()[0];
  return resources::is_dns_subdomain(name)
             ? util::Result<std::string>(name)
             : util::fail(ErrorKind::usage, cat('"', name, "\" cannot be the name of an object"),
                          "Use lower-case letters, digits and dashes.");
}

namespace {

/// For editors with yaml-language-server: where kubist's packages have the schemas of its kinds.
constexpr std::string_view k_modeline =
    "# yaml-language-server: $schema=/usr/share/kubist/schemas/all.json\n";

}  // namespace

util::Result<> write_function(const Arguments& arguments, const std::string& definition,
                              const std::string& cases, Sink& out) {
  const fs::path folder = arguments.text("dir");
  const std::string& name = arguments.words()[0];
  const std::pair<fs::path, std::string> files[] = {
      {folder / (name + ".yaml"), cat(k_modeline, definition)},
      {folder / (name + ".test.yaml"), cases}};
  for (const auto& [file, text] : files) {
    std::error_code error;
    if (fs::exists(fs::symlink_status(file, error))) {
      return util::fail(ErrorKind::invalid, cat(file.string(), " exists already"),
                        "Choose another name or --dir, or remove it.");
    }
  }
  constexpr unsigned k_mode = 0644;
  for (const auto& [file, text] : files) {
    KUBIST_CHECK(util::write_file(file, text, k_mode));
    out.write(file.string() + '\n');
  }
  return {};
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
