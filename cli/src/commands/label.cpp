#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/kube/writer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "../dry_run.hpp"
#include "../metadata_changes.hpp"
#include "../output/written.hpp"
#include "../query/live_objects.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;
using util::ErrorKind;

std::string_view operation_of(const MetadataMap& map, const MetadataDifference& difference) {
  if (&map == &k_annotations) {
    return "annotated";
  }
  return difference.patch.empty() ? "not labeled" : difference.adds ? "labeled" : "unlabeled";
}

util::Result<> change_one(Context& context, const MetadataMap& map, const MetadataChanges& changes,
                          const kube::Writer& writer, LiveObject live) {
  const Arguments& arguments = context.arguments();
  if (!arguments.boolean("overwrite")) {
    KUBIST_CHECK(check_overwrites(map, live.object, changes));
  }
  const kube::DryRun dry_run = writer.rules().dry_run;
  for (const std::string& key : changes.removed) {
    if (&map == &k_labels && dry_run != kube::DryRun::client &&
        !metadata_map(map, live.object).contains(key)) {
      context.out().write(cat("label \"", key, "\" not found.\n"));
    }
  }
  const MetadataDifference wanted = difference(map, live.object, changes);
  Json body{{"metadata", {{map.field, wanted.patch}}}};
  if (arguments.given("resource-version")) {
    body["metadata"]["resourceVersion"] = arguments.text("resource-version");
  }
  if (wanted.patch.empty()) {
    return print_written(context, live.object, operation_of(map, wanted), dry_run);
  }
  if (dry_run == kube::DryRun::client) {
    live.object.merge_patch(body);
  } else {
    const resources::ObjectRef ref = resources::ObjectView(live.object).ref();
    KUBIST_TRY(const auto client, context.client());
    KUBIST_TRY(live.object, writer.patch({*client}, live.resource, ref.ns, ref.name,
                                         kube::PatchType::merge, body));
    if (live.object.is_null()) {  // what a dry run says of an object that is gone
      return util::fail(kube::no_object(live.resource, ref.name));
    }
  }
  return print_written(context, live.object, operation_of(map, wanted), dry_run);
}

void list_one(Context& context, const MetadataMap& map, const LiveObject& live, bool single) {
  const resources::ObjectView view(live.object);
  if (!single) {
    context.out().write(cat("Listing ", map.field, " for ", view.kind(), '.', view.group(), '/',
                            view.name(), ":\n"));
  }
  const Json& values = metadata_map(map, live.object);
  for (const auto& [key, value] : values.items()) {
    context.out().write(cat(single ? "" : " ", key, '=', data::string_at(values, {key}), '\n'));
  }
}

util::Result<MetadataChanges> wanted_changes(const MetadataMap& map, const Arguments& arguments,
                                             const std::vector<std::string>& words) {
  KUBIST_TRY(MetadataChanges changes, read_changes(map, words));
  const bool list = arguments.boolean("list");
  if (list && arguments.given("output")) {
    return util::fail(ErrorKind::usage, "--list and --output cannot go together");
  }
  if (list == !words.empty()) {
    return util::fail(ErrorKind::usage,
                      list ? cat("--list changes no ", map.noun)
                           : cat("at least one ", map.noun, " update is required"),
                      "A change is KEY=VALUE, or KEY- to remove the key.");
  }
  return changes;
}

util::Result<int> run_metadata_map(Context& context, const MetadataMap& map) {
  const Arguments& arguments = context.arguments();
  KUBIST_TRY(const kube::DryRun dry_run, dry_run_of(arguments));
  KUBIST_TRY(ChangeWords split, split_words(map, arguments.words()));
  KUBIST_TRY(const MetadataChanges changes, wanted_changes(map, arguments, split.changes));
  KUBIST_TRY(const LiveQuery query, live_query(arguments, std::move(split.objects)));
  KUBIST_TRY(LiveObjects found, live_objects(context, arguments, query));
  if (!found.single && arguments.given("resource-version")) {
    return util::fail(ErrorKind::usage, "--resource-version needs a single object");
  }
  const kube::Writer writer({.field_manager = std::string(map.manager), .dry_run = dry_run});
  for (LiveObject& live : found.list) {
    if (arguments.boolean("list")) {
      list_one(context, map, live, found.single);
    } else if (auto done = change_one(context, map, changes, writer, std::move(live)); !done) {
      found.errors.push_back(std::move(done).error());
    }
  }
  if (!found.errors.empty()) {
    return util::fail(data::combine_errors(std::move(found.errors), "the objects"));
  }
  return k_ok;
}

CommandSpec metadata_map_command(const MetadataMap& map, std::string_view path,
                                 std::string_view summary, std::string_view details,
                                 std::vector<Example> examples) {
  std::vector<Flag> flags = live_flags();
  const std::vector<Flag> own{
      {"overwrite", 0, FlagKind::boolean, "", "change values that are there"},
      {"list", 0, FlagKind::boolean, "", "print what the objects have, and change nothing"},
      {"resource-version", 0, FlagKind::text, "VERSION",
       "change the one object only if this is its resource version"},
      dry_run_flag("change nothing: client reads only, server lets the API server check"),
      written_flag()};
  flags.insert(flags.end(), own.begin(), own.end());
  return {
      .path = path,
      .group = "Objects of any kind, as kubectl",
      .summary = summary,
      .details = details,
      .arguments = "(-f FILE | TYPE NAME... | TYPE/NAME... | TYPE --all) KEY=VALUE... KEY-...",
      .max_words = -1,
      .completes = Completes::resource_names,
      .flags = std::move(flags),
      .examples = std::move(examples),
      .run = [&map](Context& context, const Arguments&) { return run_metadata_map(context, map); }};
}

}  // namespace

CommandSpec label_command() {
  return metadata_map_command(
      k_labels, "label", "Set and remove labels of objects",
      "KEY=VALUE sets a label, KEY- removes it. A label that has another value is an error "
      "without --overwrite. Each object is read first, and written only where something changes.",
      {{"Mark a namespace for injection", "kubist label namespace shop istio-injection=enabled"},
       {"Remove a label from all pods of an app", "kubist label pods -l app=web canary-"},
       {"What labels are there?", "kubist label deployment/web --list"}});
}

CommandSpec annotate_command() {
  return metadata_map_command(
      k_annotations, "annotate", "Set and remove annotations of objects",
      "KEY=VALUE sets an annotation, KEY- removes it. One that has another value is an error "
      "without --overwrite. Each object is read first, and written only where something changes.",
      {{"Say who is asked", "kubist annotate deployment/web example.com/owner=team-shop"},
       {"Remove it", "kubist annotate deployment/web example.com/owner-"}});
}

}  // namespace kubist::cli
