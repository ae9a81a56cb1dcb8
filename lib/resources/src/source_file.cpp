#include <algorithm>
#include <filesystem>

#include <kubist/data/pointer.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/source_file.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

namespace kubist::resources {

using data::Json;
using util::cat;
using util::ErrorKind;
namespace fs = std::filesystem;

namespace {

constexpr const char* k_field = "sourceFile";

/// Names of Jsonnet's, and none that begins with a dot: a manifest of another owner must not send
/// ~/.kube/config or .git/config to a cluster.
bool is_source(const fs::path& path) {
  const bool is_hidden = std::any_of(path.begin(), path.end(), [](const fs::path& part) {
    return part.native().starts_with('.');
  });
  return path.is_relative() && !is_hidden &&
         (path.extension() == ".jsonnet" || path.extension() == ".libsonnet");
}

util::Result<fs::path> beside(const std::string& file, const std::string& name) {
  std::error_code error;
  if (file == "stdin" || !fs::is_regular_file(file, error)) {
    return util::fail(ErrorKind::invalid,
                      cat(k_field, ": ", name, ": the object comes from no file of this machine"),
                      "Give the program as source.");
  }
  const fs::path folder = fs::canonical(fs::absolute(file).parent_path(), error);
  if (error) {
    return util::fail(ErrorKind::invalid, cat("cannot find the folder of ", file));
  }
  const fs::path path = fs::weakly_canonical(folder / name, error);
  return !error && is_source(name) && is_source(path.lexically_relative(folder))
             ? util::Result<fs::path>(path)
             : util::fail(ErrorKind::invalid,
                          cat(k_field, ": ", name, " is no .jsonnet or .libsonnet file below the ",
                              "folder of ", file));
}

}  // namespace

util::Result<std::string> take_source_file(Json& object, const std::string& file) {
  const Json* name = data::find_path(object, {"spec", "runtime", "jsonnet", k_field});
  if (!is_definition(object) || name == nullptr || !name->is_string()) {
    return std::string();
  }
  if (data::find_path(object, {"spec", "runtime", "jsonnet", "source"}) != nullptr) {
    return util::fail(ErrorKind::invalid, cat("source and ", k_field, " exclude each other"));
  }
  KUBIST_TRY(const fs::path path, beside(file, name->get<std::string>()));
  KUBIST_TRY(std::string source, util::read_file(path.string()));
  Json& jsonnet = object["spec"]["runtime"]["jsonnet"];
  jsonnet.erase(k_field);
  jsonnet["source"] = std::move(source);
  return path.string();
}

}  // namespace kubist::resources
