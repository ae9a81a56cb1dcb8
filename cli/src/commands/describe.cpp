#include "output/describe.hpp"

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/kube/api_error.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/resources/secret_mask.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "input.hpp"
#include "output/document.hpp"
#include "query/fetch.hpp"
#include "query/file_targets.hpp"
#include "query/selectors.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::ErrorKind;

struct Describer {
  Context& context;
  kube::Client& client;
  bool show_events;
  std::string label_selector;
  bool any = false;
  std::vector<util::Error> errors = {};
  Json document = {{"objects", Json::array()}};  ///< for -o

  /// All that a name stands for: the object, or, as in kubectl, those whose names begin with it.
  util::Result<std::vector<Json>> by_name(const Target& target, const std::string& name) {
    KUBIST_TRY(auto found, client.find(target.resource, target.ns, name, context.stop()));
    if (found) {
      return std::vector<Json>{std::move(*found)};
    }
    kube::ListOptions list;
    list.max_memory = kube::k_max_command_list_memory;
    KUBIST_TRY(auto all, client.list(target.resource, target.ns, list, context.stop()));
    std::erase_if(all.items, [&](const Json& object) {
      return !resources::ObjectView(object).name().starts_with(name);
    });
    if (all.items.empty()) {
      return util::fail(kube::no_object(target.resource, name));
    }
    return std::move(all.items);
  }

  util::Result<> target(const Target& target) {
    if (target.names.empty()) {
      kube::ListOptions list;
      list.label_selector = label_selector;
      list.max_memory = kube::k_max_command_list_memory;
      KUBIST_TRY(const auto all, client.list(target.resource, target.ns, list, context.stop()));
      print(all.items);
    }
    for (const std::string& name : target.names) {
      if (const auto objects = by_name(target, name); objects) {
        print(*objects);
      } else {
        errors.push_back(objects.error());
      }
    }
    return {};
  }

  void print(const std::vector<Json>& objects) {
    const auto events = events_of(objects);
    const Now now = std::chrono::system_clock::now();
    if (context.arguments().given("output")) {
      any = any || !objects.empty();
      return keep(objects, events);
    }
    for (std::size_t i = 0; i < objects.size(); ++i) {
      context.out().write(std::exchange(any, true) ? "\n\n" : "");
      describe(context.out(), objects[i], events[i] ? &*events[i] : nullptr, now);
    }
  }

  /// What programs read: the objects with their events, secret values masked.
  void keep(const std::vector<Json>& objects,
            const std::vector<std::optional<std::vector<Json>>>& events) {
    for (std::size_t i = 0; i < objects.size(); ++i) {
      Json object = resources::masked_pair(objects[i], objects[i]).first;
      object["metadata"].erase("managedFields");
      document["objects"].push_back({{"object", std::move(object)}});
      if (events[i]) {
        document["objects"].back()["events"] = *events[i];
      }
    }
  }

  /// The events of each object, asked for side by side; nothing where they could not be had.
  std::vector<std::optional<std::vector<Json>>> events_of(const std::vector<Json>& objects) {
    std::vector<std::optional<std::vector<Json>>> all(objects.size());
    if (!show_events) {
      return all;
    }
    std::vector<kube::ApiCall> calls;
    for (const Json& object : objects) {
      const resources::ObjectView view(object);
      calls.push_back(kube::raw_get(kube::well_known::events().collection_path(view.ns())));
      calls.back().query.emplace_back("fieldSelector",
                                      util::cat("involvedObject.uid=", view.uid()));
    }
    const auto replies = fetch_all(client, calls, context.stop());
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const auto list = replies[i] ? replies[i]->json() : util::Result<Json>(Json());
      if (const Json* items = list ? data::find(*list, "/items") : nullptr; items != nullptr) {
        all[i] = items->is_array() ? items->get<std::vector<Json>>() : std::vector<Json>();
        sort_events(*all[i]);
      }
    }
    return all;
  }
};

util::Result<int> run_describe(Context& context, const Arguments& arguments) {
  const auto files = input_paths(arguments);
  if (arguments.words().empty() == files.empty()) {
    return util::fail(ErrorKind::usage,
                      "'kubist describe' needs either TYPE [NAME], TYPE/NAME, or -f FILE");
  }
  KUBIST_TRY(const std::string labels, label_selector(arguments));
  if (!labels.empty() && (names_objects(arguments.words()) || !files.empty())) {
    return util::fail(ErrorKind::usage, "name cannot be provided when a selector is specified");
  }
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const std::string ns, context.ns());
  const bool all_namespaces = arguments.boolean("all-namespaces");
  KUBIST_TRY(const Targets targets,
             files.empty()
                 ? find_targets(*client, arguments.words(), {ns, all_namespaces}, context.stop())
                 : targets_of_files(context, arguments));
  Describer describer{context, *client, arguments.boolean("show-events"), labels};
  for (const Target& target : targets.list) {
    KUBIST_CHECK(describer.target(target));
  }
  KUBIST_CHECK(print_document(context, describer.document));
  if (!describer.errors.empty()) {
    return util::fail(data::combine_errors(std::move(describer.errors), "what was asked for"));
  }
  if (!describer.any && !arguments.given("output")) {
    context.log().line(all_namespaces ? std::string("No resources found")
                                      : util::cat("No resources found in ", ns, " namespace."));
  }
  return k_ok;
}

}  // namespace

CommandSpec describe_command() {
  return {
      .path = "describe",
      .group = "Objects of any kind, as kubectl",
      .summary = "Print all about objects, with their events",
      .details =
          "Works for any kind. A name that does not exist stands for all names that begin with it. "
          "Of Secrets only the sizes of their values are shown.",
      .arguments = "TYPE [NAME...] | TYPE/NAME... | -f FILE",
      .max_words = -1,
      .completes = Completes::resource_names,
      .flags = {document_flag("json, yaml or jsonpath=TEMPLATE: each object with its events; or "
                              "nothing for people"),
                {"all-namespaces", 'A', FlagKind::boolean, "", "look in all namespaces"},
                {"selector", 'l', FlagKind::text, "SELECTOR", "only objects with these labels"},
                filename_flag(),
                recursive_flag(),
                {"show-events", 0, FlagKind::boolean, "", "with the events of each", "true"},
                kubectl_flag("chunk-size", FlagKind::number)},
      .examples = {{"Why is it not ready?", "kubist describe virtualcluster/shop-eu"}},
      .run = run_describe};
}

}  // namespace kubist::cli
