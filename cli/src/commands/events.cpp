#include "query/events.hpp"

#include <algorithm>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/kube/watch.hpp>
#include <kubist/notify/event.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/deadline.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "output/object_printer.hpp"
#include "output/table.hpp"
#include "query/targets.hpp"
#include "several_contexts.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::ErrorKind;

struct EventRun {
  Context& context;
  OutputFormat format;
  std::vector<std::string> types;
  bool all_namespaces;
  bool no_headers;
  TableWriter table;
  std::string run_id = {};  ///< empty: of all
  bool contexts = false;    ///< each event has k_context_annotation

  bool wanted(const Json& event) const {
    const std::string_view type = data::string_at(event, {"type"});
    if (!run_id.empty() &&
        run_id != data::string_at(event, {"metadata", "annotations", notify::k_run_annotation})) {
      return false;
    }
    return types.empty() || std::any_of(types.begin(), types.end(), [&](const std::string& one) {
             return util::iequals(one, type);
           });
  }

  void header() {
    std::vector<std::string_view> cells{"LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"};
    if (all_namespaces) {
      cells.insert(cells.begin(), "NAMESPACE");
    }
    if (contexts) {
      cells.insert(cells.begin(), "CONTEXT");
    }
    if (!no_headers) {
      table.row(cells);
    }
  }

  void row(const Json& event) {
    const auto text = [&](std::initializer_list<std::string_view> path) {
      return std::string(data::string_at(event, path));
    };
    std::vector<std::string> cells{
        event_age(event, std::chrono::system_clock::now()), text({"type"}), text({"reason"}),
        util::cat(text({"involvedObject", "kind"}), '/', text({"involvedObject", "name"})),
        util::printable(util::replace_all(event_message(event), "\n", " "))};
    if (all_namespaces) {
      cells.insert(cells.begin(), text({"metadata", "namespace"}));
    }
    if (contexts) {
      cells.insert(cells.begin(), text({"metadata", "annotations", k_context_annotation}));
    }
    table.row({cells.begin(), cells.end()});
  }

  util::Result<> print_list(const std::vector<Json>& events) {
    if (!format.human()) {
      return print_objects(events, format, context.out(), {.no_headers = no_headers});
    }
    header();
    for (const Json& event : events) {
      row(event);
    }
    table.flush();
    context.out().flush();
    return {};
  }

  util::Result<> print_one(const Json& event) {
    if (!format.human()) {
      KUBIST_CHECK(print_objects({event}, format, context.out(),
                                 {.shape = OutputShape::stream, .no_headers = true}));
    } else {
      row(event);
      table.flush();
    }
    context.out().flush();
    return {};
  }

  /// For as long as one request may take (--request-timeout), as kubectl does.
  util::Result<> follow(kube::Client& client, const kube::WatchOptions& options) {
    const util::Deadline deadline(context.client_options().request_timeout, context.stop());
    auto watched = kube::watch(
        client, options,
        [&](const kube::WatchEvent& news) -> util::Result<> {
          const bool is_news = news.type == kube::WatchEventType::added ||
                               news.type == kube::WatchEventType::modified;
          if (is_news) {
            KUBIST_TRY(const Json event, news.json());
            if (wanted(event)) {
              KUBIST_CHECK(print_one(event));
            }
          }
          return context.out().closed()
                     ? util::fail(ErrorKind::cancelled, "nobody reads the output any more")
                     : util::Result<>();
        },
        deadline.token());
    return context.out().closed() || deadline.passed() ? util::Result<>() : watched;
  }
};

util::Result<std::string> selector_for(kube::Client& client, const std::string& object,
                                       const std::stop_token& stop) {
  const std::size_t slash = object.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == object.size()) {
    return util::fail(ErrorKind::usage, util::cat("--for=", object, " is not TYPE/NAME"));
  }
  KUBIST_TRY(const auto resource, find_resource(client, object.substr(0, slash), stop));
  return util::cat("involvedObject.kind=", resource.kind,
                   ",involvedObject.name=", object.substr(slash + 1));
}

/// What one cluster has, and how to go on from there.
struct Listed {
  std::shared_ptr<kube::Client> client;
  kube::WatchOptions from;
  std::vector<Json> events;
};

util::Result<Listed> list_events(EventRun& run) {
  Context& context = run.context;
  Listed listed;
  KUBIST_TRY(listed.client, context.client());
  KUBIST_TRY(const std::string ns, context.ns());
  kube::ListOptions options;
  if (context.arguments().given("for")) {
    KUBIST_TRY(options.field_selector,
               selector_for(*listed.client, context.arguments().text("for"), context.stop()));
  }
  listed.from.resource = kube::well_known::events();
  listed.from.ns = run.all_namespaces ? "" : ns;
  listed.from.field_selector = options.field_selector;
  options.max_memory = kube::k_max_command_list_memory;
  KUBIST_TRY(auto found, listed.client->list(kube::well_known::events(), listed.from.ns, options,
                                             context.stop()));
  listed.from.resource_version = found.resource_version;
  listed.events = std::move(found.items);
  std::erase_if(listed.events, [&](const Json& event) { return !run.wanted(event); });
  return listed;
}

util::Result<> read_types(const Arguments& arguments, EventRun& run) {
  for (const std::string& types : arguments.list("types")) {
    for (std::string& type : util::split(types, ',')) {
      if (!util::iequals(type, "Normal") && !util::iequals(type, "Warning")) {
        return util::fail(ErrorKind::usage,
                          util::cat("--types=", type, ": an Event is Normal or Warning"));
      }
      run.types.push_back(std::move(type));
    }
  }
  return {};
}

util::Result<int> print_contexts(EventRun& run) {
  KUBIST_CHECK(check_contexts(run.context.arguments().boolean("watch"), run.format));
  std::vector<Json> events;
  KUBIST_TRY(auto errors, in_each_context(run.context, [&](const std::string& name) {
               return list_events(run).map([&](Listed listed) {
                 for (Json& event : listed.events) {
                   resources::set_annotation(event, k_context_annotation, name);
                   events.push_back(std::move(event));
                 }
               });
             }));
  sort_events(events);
  KUBIST_CHECK(run.print_list(events));
  return end_of_contexts(std::move(errors));
}

util::Result<int> run_events(Context& context, const Arguments& arguments) {
  KUBIST_TRY(auto format, parse_output_format(arguments.text("output")));
  EventRun run{context,
               std::move(format),
               {},
               arguments.boolean("all-namespaces"),
               arguments.boolean("no-headers"),
               TableWriter(context.out()),
               arguments.text("run")};
  KUBIST_CHECK(read_types(arguments, run));
  KUBIST_TRY(run.contexts, asks_contexts(arguments));
  if (run.contexts) {
    return print_contexts(run);
  }
  KUBIST_TRY(Listed listed, list_events(run));
  sort_events(listed.events);
  const bool watch = arguments.boolean("watch");
  if (listed.events.empty() && run.format.human() && !watch) {
    context.log().line(run.all_namespaces
                           ? std::string("No events found")
                           : util::cat("No events found in ", listed.from.ns, " namespace."));
    return k_ok;
  }
  KUBIST_CHECK(run.print_list(listed.events));
  if (watch) {
    KUBIST_CHECK(run.follow(*listed.client, listed.from));
  }
  return context.stop().stop_requested() ? k_interrupted : k_ok;
}

}  // namespace

CommandSpec events_command() {
  return {
      .path = "events",
      .group = "Objects of any kind, as kubectl",
      .summary = "Print events, the latest last",
      .flags =
          {output_flag(),
           contexts_flag(),
           {"all-namespaces", 'A', FlagKind::boolean, "", "of all namespaces"},
           {"for", 0, FlagKind::text, "TYPE/NAME", "only events about this object", "",
            Completes::resource_names},
           {"run", 0, FlagKind::text, "ID",
            "only those that this run of kubist wrote (status.lastRun.id, its log and "
            "report name it): failures and their end, and what a Project's notifications ask for"},
           {"types", 0, FlagKind::list, "TYPES", "only these types: Normal, Warning"},
           {"watch", 'w', FlagKind::boolean, "", "go on with new events as they come"},
           {"no-headers", 0, FlagKind::boolean, "", "leave out the line of headers"},
           kubectl_flag("chunk-size", FlagKind::number)},
      .examples = {{"What went wrong lately", "kubist events -A --types=Warning"},
                   {"What one run of kubist wrote", "kubist events -A --run bq7x2m9kzc"},
                   {"About one object", "kubist events --for project/shop"}},
      .run = run_events};
}

}  // namespace kubist::cli
