#include "get_options.hpp"

#include <kubist/util/text.hpp>

#include "input.hpp"
#include "selectors.hpp"
#include "several_contexts.hpp"
#include "targets.hpp"

namespace kubist::cli {
namespace {

using util::ErrorKind;

util::Result<> check(const GetOptions& options, const std::vector<std::string>& words) {
  const bool watching = options.watch || options.watch_only;
  if (words.empty() == options.files.empty()) {
    return util::fail(ErrorKind::usage,
                      words.empty() ? "'kubist get' needs a type of resource"
                                    : "-f stands for the objects: no TYPE or NAME with it",
                      "'kubist api-resources' lists the types, e.g. kubist get pods.");
  }
  if (watching && !options.files.empty()) {
    return util::fail(ErrorKind::usage, "--watch needs one TYPE on the command line, not -f");
  }
  if (options.watch_events && !watching) {
    return util::fail(ErrorKind::usage, "--output-watch-events needs --watch or --watch-only");
  }
  const bool selects = !options.label_selector.empty() || !options.field_selector.empty();
  if (selects && (names_objects(words) || !options.files.empty())) {
    return util::fail(ErrorKind::usage, "name cannot be provided when a selector is specified");
  }
  if (options.limit < 0) {
    return util::fail(ErrorKind::usage, "--limit cannot be negative");
  }
  return {};
}

}  // namespace

kube::ListOptions GetOptions::list_options() const {
  kube::ListOptions list;
  list.label_selector = label_selector;
  list.field_selector = field_selector;
  list.paged = paged;
  list.max_objects = limit;
  list.tolerate_expired = true;
  return list;
}

std::vector<Flag> get_flags() {
  return {
      output_flag(),
      {"all-namespaces", 'A', FlagKind::boolean, "", "look in all namespaces"},
      contexts_flag(),
      {"selector", 'l', FlagKind::text, "SELECTOR",
       "only objects with these labels: a=b, a!=b, a in (b,c), a, !a"},
      {"field-selector", 0, FlagKind::text, "SELECTOR",
       "only objects with these fields, as far as the server supports them"},
      filename_flag(),
      recursive_flag(),
      {"watch", 'w', FlagKind::boolean, "", "after listing, print each change as it happens"},
      {"watch-only", 0, FlagKind::boolean, "", "print changes only, without listing first"},
      {"output-watch-events", 0, FlagKind::boolean, "",
       "print ADDED, MODIFIED or DELETED with each object that is watched"},
      {"sort-by", 0, FlagKind::text, "PATH", "sort by a field, a JSONPath such as .metadata.name"},
      {"limit", 0, FlagKind::number, "N", "at most so many objects of each type; 0 means all", "0"},
      {"chunk-size", 0, FlagKind::number, "N",
       "0 asks for lists in one piece; other sizes adapt to the objects", "500"},
      {"show-labels", 0, FlagKind::boolean, "", "all labels as the last column"},
      {"label-columns", 'L', FlagKind::list, "KEY", "these labels as columns; may be repeated"},
      {"show-kind", 0, FlagKind::boolean, "", "print names as TYPE/NAME"},
      {"no-headers", 0, FlagKind::boolean, "", "leave out the line of headers"},
      {"show-managed-fields", 0, FlagKind::boolean, "", "keep metadata.managedFields (json, yaml)"},
      {"allow-missing-template-keys", 0, FlagKind::boolean, "",
       "fields that a jsonpath template does not find print nothing", "true"},
      {"ignore-not-found", 0, FlagKind::boolean, "", "objects that do not exist are no error"},
      {"subresource", 0, FlagKind::text, "NAME", "get a subresource: status, scale"},
  };
}

util::Result<GetOptions> read_get_options(const Arguments& arguments,
                                          const std::vector<std::string>& words) {
  GetOptions options;
  KUBIST_TRY(options.format, parse_output_format(arguments.text("output")));
  if (arguments.given("sort-by")) {
    KUBIST_TRY(options.sorter, Sorter::make(arguments.text("sort-by")));
  }
  KUBIST_TRY(options.label_selector, label_selector(arguments));
  KUBIST_TRY(options.field_selector, field_selector(arguments));
  for (const std::string& keys : arguments.list("label-columns")) {
    for (std::string& key : util::split(keys, ',')) {
      options.label_columns.push_back(std::move(key));
    }
  }
  options.files = input_paths(arguments);
  options.subresource = arguments.text("subresource");
  options.limit = arguments.number("limit");
  options.paged = arguments.number("chunk-size") != 0;
  KUBIST_TRY(options.contexts, asks_contexts(arguments));
  options.all_namespaces = arguments.boolean("all-namespaces");
  options.watch = arguments.boolean("watch");
  options.watch_only = arguments.boolean("watch-only");
  options.watch_events = arguments.boolean("output-watch-events");
  options.no_headers = arguments.boolean("no-headers");
  options.show_labels = arguments.boolean("show-labels");
  options.show_kind = arguments.boolean("show-kind");
  options.show_managed_fields = arguments.boolean("show-managed-fields");
  options.ignore_not_found = arguments.boolean("ignore-not-found");
  options.allow_missing_keys = arguments.boolean("allow-missing-template-keys");
  KUBIST_CHECK(check(options, words));
  return options;
}

}  // namespace kubist::cli
