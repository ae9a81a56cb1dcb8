#include "input.hpp"

#include <filesystem>
#include <set>

#include <glob.h>

#include <kubist/data/schema.hpp>
#include <kubist/http/fetch.hpp>
#include <kubist/resources/kinds.hpp>
#include <kubist/resources/validate.hpp>
#include <kubist/util/text.hpp>

#include "call_checks.hpp"

namespace kubist::cli {
namespace {

using util::cat;
using util::ErrorKind;

/// Is there such an object in the cluster? Nothing when the cluster cannot say.
std::optional<bool> exists(kube::Client& client, const resources::ObjectRef& ref,
                           const std::stop_token& stop) {
  const resources::Kind* kind = resources::find_kind(ref.group, ref.kind);
  if (kind == nullptr) {
    return std::nullopt;
  }
  const auto resource = client.discovery().find_kind(resources::api_version(*kind), ref.kind, stop);
  if (!resource) {
    return std::nullopt;
  }
  const auto found = client.find(*resource, ref.ns, ref.name, stop);
  if (!found) {
    return std::nullopt;
  }
  return found->has_value();
}

/// The namespaces of the projects that are in the input.
std::set<std::string> projects_of(const std::vector<resources::Manifest>& manifests) {
  std::set<std::string> namespaces;
  for (const resources::Manifest& manifest : manifests) {
    const resources::ObjectView view(manifest.object);
    if (view.kind() == "Project" && view.group() == resources::k_kubist_group) {
      namespaces.insert(resources::project_namespace(manifest.object));
    }
  }
  return namespaces;
}

}  // namespace

std::vector<std::string> typed_words(const Arguments& arguments, std::string_view type) {
  std::vector<std::string> words = arguments.words();
  if (!arguments.given("filename")) {
    words.emplace(words.begin(), type);
  }
  return words;
}

Flag filename_flag() {
  return {
      "filename",
      'f',
      FlagKind::list,
      "FILE",
      "a file, a folder, a pattern ('env/*.yaml'), a URL, or - for standard input; may be repeated",
      "",
      Completes::files};
}

Flag recursive_flag() {
  return {"recursive", 'R', FlagKind::boolean, "", "take folders with all that is below them"};
}

namespace {

/// A word that names a URL, or what is there, stands as it is; others are parted at commas.
std::vector<std::string> parts_of(const Arguments& arguments) {
  std::vector<std::string> all;
  for (const std::string& word : arguments.list("filename")) {
    std::error_code ignored;
    if (word.find("://") != std::string::npos || std::filesystem::exists(word, ignored)) {
      all.push_back(word);
      continue;
    }
    for (std::string& part : util::split(word, ',')) {
      all.push_back(std::move(part));
    }
  }
  return all;
}

bool is_pattern(const std::string& part) {
  std::error_code ignored;
  return part.find_first_of("*?[") != std::string::npos && part.find("://") == std::string::npos &&
         !std::filesystem::exists(part, ignored);
}

/// Those that a pattern means, in their order; the pattern itself where it means none.
std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return paths.empty() ? std::vector<std::string>{pattern} : paths;
}

}  // namespace

std::vector<std::string> input_paths(const Arguments& arguments) {
  std::vector<std::string> paths;
  for (const std::string& part : parts_of(arguments)) {
    for (std::string& path : is_pattern(part) ? matches_of(part) : std::vector<std::string>{part}) {
      paths.push_back(std::move(path));
    }
  }
  return paths;
}

std::vector<std::string> pattern_folders(const Arguments& arguments) {
  std::vector<std::string> folders;
  for (const std::string& part : parts_of(arguments)) {
    if (is_pattern(part)) {
      const auto folder = std::filesystem::path(part).parent_path();
      folders.push_back(folder.empty() ? "." : folder.string());
    }
  }
  return folders;
}

util::Result<std::vector<resources::Manifest>> read_input(Context& context,
                                                          const Arguments& arguments) {
  const auto paths = input_paths(arguments);
  if (paths.empty()) {
    return util::fail(ErrorKind::usage, cat("kubist ", arguments.spec().path, " needs -f"),
                      "Name a file, a folder, a URL, or - for standard input.");
  }
  resources::ManifestOptions options;
  options.recursive = arguments.boolean("recursive");
  options.fetch = [&context](const std::string& url) {
    constexpr std::size_t k_max_bytes = std::size_t{64} << 20U;
    return http::fetch(context.client_options().engine, url, k_max_bytes, context.stop());
  };
  auto set = resources::read_manifests(paths, options);
  for (const std::string& warning : set.warnings) {
    context.log().line(cat("warning: ", warning));
  }
  if (!set.errors.empty()) {
    return util::fail(data::combine_errors(std::move(set.errors), util::join(paths, ", ")));
  }
  if (set.manifests.empty()) {
    return util::fail(ErrorKind::invalid, cat("there are no objects in ", util::join(paths, ", ")),
                      "Folders are read for .yaml, .yml and .json files, with -R also below.");
  }
  return std::move(set.manifests);
}

util::Result<> check_input(const std::vector<resources::Manifest>& manifests, kube::Client* client,
                           const std::string& ns, const std::stop_token& stop) {
  resources::ValidateContext context;
  context.default_namespace = ns;
  if (client != nullptr) {
    context.exists = [client, &stop](const resources::ObjectRef& ref) {
      return exists(*client, ref, stop);
    };
  } else {
    // The rest of a project that is in the input is there, too; any other may be in the cluster.
    context.exists = [projects = projects_of(manifests)](const resources::ObjectRef& ref) {
      return projects.contains(ref.ns) ? std::optional(false) : std::nullopt;
    };
  }
  CallChecks calls(manifests, ns, client, stop);
  context.check_executor = [&calls](const resources::CallSite& site) {
    return calls.executor(site);
  };
  context.check_policy = [&calls](const resources::CallSite& site) { return calls.policy(site); };
  auto errors = resources::validate(manifests, context);
  if (!errors.empty()) {
    return util::fail(data::combine_errors(std::move(errors), "the input"));
  }
  return {};
}

}  // namespace kubist::cli
