#include "delete_targets.hpp"

#include <kubist/data/schema.hpp>
#include <kubist/util/text.hpp>

#include "input.hpp"
#include "output/set_report.hpp"
#include "query/selectors.hpp"
#include "query/targets.hpp"

namespace kubist::cli {
namespace {

using util::cat;
using util::ErrorKind;

std::vector<apply::Target> targets_of_files(kube::Client& client,
                                            const std::vector<resources::Manifest>& manifests,
                                            const apply::Options& options,
                                            std::vector<util::Error>& errors, bool ignore_unknown,
                                            const std::stop_token& stop) {
  std::vector<apply::Target> targets;
  for (const resources::Manifest& manifest : manifests) {
    const resources::ObjectView view(manifest.object);
    auto resource = client.discovery().find_kind(view.api_version(), view.kind(), stop);
    if (!resource) {
      // A kind that is not served has no objects.
      if (!(ignore_unknown && resource.error().kind == ErrorKind::not_found)) {
        util::Error error = resource.error();
        error.pos = manifest.position("/kind");
        errors.push_back(std::move(error));
      }
      continue;
    }
    const std::string given(view.ns());
    if (resource->namespaced && options.enforce_namespace && !given.empty() &&
        given != options.default_namespace) {
      errors.push_back(util::make_error(ErrorKind::invalid,
                                        manifest.position("/metadata/namespace"),
                                        cat("the namespace of ", display_name(view.ref()), " is \"",
                                            given, "\", not \"", options.default_namespace, "\"")));
      continue;
    }
    const std::string ns = !resource->namespaced ? ""
                           : given.empty()       ? options.default_namespace
                                                 : given;
    targets.push_back({*std::move(resource), ns, std::string(view.name()), {}, manifest.pos});
  }
  return targets;
}

/// TYPE[,TYPE] with names, a selector or --all.
struct Words {
  std::vector<std::string> types;
  std::vector<std::string> names;
  std::vector<std::pair<std::string, std::string>> pairs;  ///< TYPE/NAME
};

util::Result<Words> parse_words(const std::vector<std::string>& words) {
  Words parsed;
  for (const std::string& word : words) {
    const auto slash = word.find('/');
    if (slash != std::string::npos) {
      parsed.pairs.emplace_back(word.substr(0, slash), word.substr(slash + 1));
      KUBIST_CHECK(kube::check_name("resource name", parsed.pairs.back().second));
    } else if (parsed.types.empty() && parsed.pairs.empty()) {
      parsed.types = util::split(word, ',');
    } else {
      parsed.names.push_back(word);
      KUBIST_CHECK(kube::check_name("resource name", word));
    }
  }
  if (!parsed.pairs.empty() && (!parsed.types.empty() || !parsed.names.empty())) {
    return util::fail(ErrorKind::usage, "TYPE/NAME and TYPE NAME cannot be mixed");
  }
  return parsed;
}

util::Result<> add_listed(kube::Client& client, const kube::ApiResource& resource,
                          const std::string& ns, const kube::ListOptions& list,
                          std::vector<apply::Target>& targets, const std::stop_token& stop) {
  kube::ListOptions options = list;
  options.max_memory = kube::k_max_command_list_memory;
  KUBIST_TRY(const auto found, client.list(resource, resource.namespaced ? ns : "", options, stop));
  for (const data::Json& item : found.items) {
    const resources::ObjectView view(item);
    targets.push_back(
        {resource, std::string(view.ns()), std::string(view.name()), std::string(view.uid()), {}});
  }
  return {};
}

/// Names, a selector or --all: one of them, and no other, as kubectl. Who says two means one.
util::Result<> check_choice(const Words& words, const Arguments& arguments,
                            const kube::ListOptions& list) {
  const bool named = !words.pairs.empty() || !words.names.empty();
  const bool selected = !list.label_selector.empty() || !list.field_selector.empty();
  if (arguments.boolean("all") && selected) {
    return util::fail(ErrorKind::usage, "--all and a selector cannot go together");
  }
  if (!named && !selected && !arguments.boolean("all")) {
    return util::fail(ErrorKind::usage, "'kubist delete' needs names or a selector",
                      "Give names, -l SELECTOR, --field-selector SELECTOR, --all, or -f FILE.");
  }
  if (named && (selected || arguments.boolean("all"))) {
    return util::fail(ErrorKind::usage, "names cannot go together with --all or a selector");
  }
  return {};
}

util::Result<std::vector<apply::Target>> targets_of_words(kube::Client& client,
                                                          const Arguments& arguments,
                                                          const std::string& ns,
                                                          const std::stop_token& stop) {
  KUBIST_TRY(const auto words, parse_words(arguments.words()));
  kube::ListOptions list;
  list.form = kube::Form::metadata;
  KUBIST_TRY(list.label_selector, label_selector(arguments));
  KUBIST_TRY(list.field_selector, field_selector(arguments));
  KUBIST_CHECK(check_choice(words, arguments, list));
  const bool many = words.pairs.empty() && words.names.empty();
  std::vector<apply::Target> targets;
  const auto add = [&](const std::string& type, const std::string& name) -> util::Result<> {
    KUBIST_TRY(auto resource, find_resource(client, type, stop));
    if (resource.namespaced && arguments.boolean("all-namespaces")) {
      return util::fail(ErrorKind::usage,
                        "a resource cannot be deleted by name across all namespaces",
                        "Leave out -A, or the name.");
    }
    targets.push_back({resource, resource.namespaced ? ns : "", name, {}, {}});
    return {};
  };
  for (const auto& [type, name] : words.pairs) {
    KUBIST_CHECK(add(type, name));
  }
  for (const std::string& type : words.types) {
    for (const std::string& name : words.names) {
      KUBIST_CHECK(add(type, name));
    }
    if (many) {
      KUBIST_TRY(const auto resources, find_resources(client, type, stop));
      for (const kube::ApiResource& resource : resources) {
        KUBIST_CHECK(add_listed(client, resource, arguments.boolean("all-namespaces") ? "" : ns,
                                list, targets, stop));
      }
    }
  }
  return targets;
}

}  // namespace

util::Result<std::vector<apply::Target>> delete_targets(Context& context,
                                                        const Arguments& arguments,
                                                        bool ignore_unknown) {
  KUBIST_TRY(const auto ns, context.ns());
  KUBIST_TRY(const auto client, context.client());
  if (!arguments.given("filename")) {
    return targets_of_words(*client, arguments, ns, context.stop());
  }
  if (!arguments.words().empty() || arguments.boolean("all") ||
      !arguments.text("field-selector").empty()) {
    return util::fail(ErrorKind::usage, "-f cannot go together with names, --all or fields");
  }
  KUBIST_TRY(auto manifests, read_input(context, arguments));
  KUBIST_CHECK(filter_by_labels(manifests, arguments));
  apply::Options namespaces;
  namespaces.default_namespace = ns;
  namespaces.enforce_namespace = context.ns_given();
  std::vector<util::Error> errors;
  auto targets =
      targets_of_files(*client, manifests, namespaces, errors, ignore_unknown, context.stop());
  if (!errors.empty()) {
    return util::fail(data::combine_errors(std::move(errors), "the input"));
  }
  return targets;
}

}  // namespace kubist::cli
