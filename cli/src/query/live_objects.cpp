#include "live_objects.hpp"

#include <kubist/util/text.hpp>

#include "fetch.hpp"
#include "file_targets.hpp"
#include "input.hpp"
#include "selectors.hpp"
#include "targets.hpp"

namespace kubist::cli {
namespace {

using util::cat;
using util::ErrorKind;

util::Result<> check_query(const LiveQuery& query) {
  const bool selects = !query.label_selector.empty() || !query.field_selector.empty();
  if (query.all && selects) {
    return util::fail(ErrorKind::usage, "--all and a selector cannot go together");
  }
  if (query.files) {
    return !query.words.empty() || query.all || selects
               ? util::fail(ErrorKind::usage,
                            "-f cannot go together with names, --all or selectors")
               : util::Result<>{};
  }
  if (query.words.empty()) {
    return util::fail(ErrorKind::usage, "no object is named",
                      "Name objects as TYPE NAME or TYPE/NAME, or give -f FILE.");
  }
  const bool named = names_objects(query.words);
  if (named && (query.all || selects)) {
    return util::fail(ErrorKind::usage, "name cannot be provided when a selector is specified");
  }
  if (!named && !query.all && !selects) {
    return util::fail(ErrorKind::usage,
                      cat("of the type \"", query.words[0], "\" no object is named"),
                      "Give names, -l SELECTOR, --field-selector SELECTOR or --all.");
  }
  return {};
}

/// Who says -n means no other namespace.
util::Result<> check_namespaces(Context& context, const Targets& targets) {
  KUBIST_TRY(const std::string ns, context.ns());
  for (const Target& target : targets.list) {
    if (context.ns_given() && target.resource.namespaced && target.ns != ns) {
      return util::fail(
          ErrorKind::invalid,
          cat("the namespace of ", target.resource.plural, '/', util::join(target.names, ", "),
              " is \"", target.ns, "\", not \"", ns, '"'),
          "Leave out -n, or give the namespace of the file.");
    }
  }
  return {};
}

util::Result<> add_named(kube::Client& client, const Target& target, LiveObjects& found,
                         const std::stop_token& stop) {
  std::vector<kube::ApiCall> calls;
  for (const std::string& name : target.names) {
    calls.push_back(kube::get(target.resource, target.ns, name));
  }
  for (auto& reply : fetch_all(client, calls, stop)) {
    auto object = reply ? reply->json() : util::fail(std::move(reply).error());
    if (object) {
      found.list.push_back({target.resource, *std::move(object)});
    } else {
      found.errors.push_back(std::move(object).error());
    }
  }
  return {};
}

util::Result<> add_collection(kube::Client& client, const Target& target, const LiveQuery& query,
                              LiveObjects& found, const std::stop_token& stop) {
  kube::ListOptions options;
  options.label_selector = query.label_selector;
  options.field_selector = query.field_selector;
  options.max_memory = kube::k_max_command_list_memory;
  KUBIST_TRY(auto listed, client.list(target.resource, target.ns, options, stop));
  for (data::Json& item : listed.items) {
    found.list.push_back({target.resource, std::move(item)});
  }
  return {};
}

}  // namespace

util::Result<LiveObjects> live_objects(Context& context, const Arguments& arguments,
                                       const LiveQuery& query) {
  KUBIST_CHECK(check_query(query));
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const std::string ns, context.ns());
  KUBIST_TRY(const Targets targets,
             query.files
                 ? targets_of_files(context, arguments)
                 : find_targets(*client, query.words, {ns, query.all_namespaces}, context.stop()));
  if (query.files) {
    KUBIST_CHECK(check_namespaces(context, targets));
  }
  LiveObjects found;
  found.single = targets.single;
  for (const Target& target : targets.list) {
    KUBIST_CHECK(target.names.empty()
                     ? add_collection(*client, target, query, found, context.stop())
                     : add_named(*client, target, found, context.stop()));
  }
  return found;
}

util::Result<LiveQuery> live_query(const Arguments& arguments, std::vector<std::string> words) {
  LiveQuery query;
  query.words = std::move(words);
  query.files = arguments.given("filename");
  KUBIST_TRY(query.label_selector, label_selector(arguments));
  KUBIST_TRY(query.field_selector, field_selector(arguments));
  query.all = arguments.boolean("all");
  query.all_namespaces = arguments.boolean("all-namespaces");
  return query;
}

std::vector<Flag> live_flags() {
  return {filename_flag(),
          recursive_flag(),
          {"selector", 'l', FlagKind::text, "SELECTOR", "objects with these labels"},
          {"field-selector", 0, FlagKind::text, "SELECTOR", "objects with these fields"},
          {"all", 0, FlagKind::boolean, "", "all objects of the types in the namespace"},
          {"all-namespaces", 'A', FlagKind::boolean, "", "in all namespaces"}};
}

}  // namespace kubist::cli
