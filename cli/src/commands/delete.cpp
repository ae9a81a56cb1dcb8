#include <kubist/apply/remove.hpp>
#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/util/text.hpp>

#include "../dry_run.hpp"
#include "../input.hpp"
#include "../output/set_report.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using util::cat;
using util::ErrorKind;

std::vector<apply::Target> targets_of_files(kube::Client& client,
                                            std::vector<resources::Manifest>& manifests,
                                            const apply::Options& options,
                                            std::vector<util::Error>& errors, bool ignore_unknown,
                                            const std::stop_token& stop) {
  std::vector<apply::Target> targets;
  for (resources::Manifest& manifest : manifests) {
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
    } else if (parsed.types.empty() && parsed.pairs.empty()) {
      parsed.types = util::split(word, ',');
    } else {
      parsed.names.push_back(word);
    }
  }
  if (!parsed.pairs.empty() && (!parsed.types.empty() || !parsed.names.empty())) {
    return util::fail(ErrorKind::usage, "TYPE/NAME and TYPE NAME cannot be mixed");
  }
  return parsed;
}

util::Result<> add_listed(kube::Client& client, const kube::ApiResource& resource,
                          const std::string& ns, const Arguments& arguments,
                          std::vector<apply::Target>& targets, const std::stop_token& stop) {
  kube::ListOptions list;
  list.label_selector = arguments.text("selector");
  list.field_selector = arguments.text("field-selector");
  list.form = kube::Form::metadata;
  KUBIST_TRY(const auto found, client.list(resource, resource.namespaced ? ns : "", list, stop));
  for (const data::Json& item : found.items) {
    const resources::ObjectView view(item);
    targets.push_back(
        {resource, std::string(view.ns()), std::string(view.name()), std::string(view.uid()), {}});
  }
  return {};
}

util::Result<std::vector<apply::Target>> targets_of_words(kube::Client& client,
                                                          const Arguments& arguments,
                                                          const std::string& ns,
                                                          const std::stop_token& stop) {
  KUBIST_TRY(const auto words, parse_words(arguments.words()));
  std::vector<apply::Target> targets;
  const auto add = [&](const std::string& type, const std::string& name) -> util::Result<> {
    KUBIST_TRY(auto resource, client.discovery().find_word(type, stop));
    targets.push_back({resource, resource.namespaced ? ns : "", name, {}, {}});
    return {};
  };
  for (const auto& [type, name] : words.pairs) {
    KUBIST_CHECK(add(type, name));
  }
  const bool many = arguments.boolean("all") || !arguments.text("selector").empty() ||
                    !arguments.text("field-selector").empty();
  if (words.pairs.empty() && words.names.empty() && !many) {
    return util::fail(ErrorKind::usage, "name what to delete",
                      "A name, -l SELECTOR, --field-selector, or --all.");
  }
  if (many && !words.names.empty()) {
    return util::fail(ErrorKind::usage, "names cannot go together with --all or a selector");
  }
  for (const std::string& type : words.types) {
    for (const std::string& name : words.names) {
      KUBIST_CHECK(add(type, name));
    }
    if (many) {
      KUBIST_TRY(const auto resource, client.discovery().find_word(type, stop));
      KUBIST_CHECK(add_listed(client, resource, arguments.boolean("all-namespaces") ? "" : ns,
                              arguments, targets, stop));
    }
  }
  return targets;
}

util::Result<apply::RemoveOptions> options_of(const Arguments& arguments) {
  apply::RemoveOptions options;
  KUBIST_TRY(options.dry_run, dry_run_of(arguments));
  const std::string cascade = arguments.text("cascade");
  options.propagation = cascade == "foreground" ? kube::Propagation::foreground
                        : cascade == "orphan"   ? kube::Propagation::orphan
                                                : kube::Propagation::background;
  options.ignore_not_found = arguments.boolean("ignore-not-found");
  const bool force = arguments.boolean("force");
  const bool now = arguments.boolean("now");
  const long long grace = arguments.number("grace-period");
  if (now && grace >= 0) {
    return util::fail(ErrorKind::usage, "--now and --grace-period cannot go together");
  }
  if (grace == 0 && !force) {
    options.grace_seconds = 1;  // as kubectl: 0 without --force means at once, but in order
  } else if (grace >= 0) {
    options.grace_seconds = grace;
  } else if (force) {
    options.grace_seconds = 0;
  } else if (now) {
    options.grace_seconds = 1;
  }
  options.wait = arguments.given("wait") ? arguments.boolean("wait") : !force;
  options.timeout = arguments.duration("timeout");
  return options;
}

void print_deleted(Context& context, const apply::ObjectResult& result, bool force,
                   const std::string& suffix, SetPrinter& printer, SetFormat format) {
  if (!result.ok() || format != SetFormat::lines) {
    printer.result(result);
  } else if (result.outcome == apply::Outcome::deleted) {
    // kubectl's words.
    const auto name = display_name(result.ref);
    const auto slash = name.find('/');
    context.out().write(cat(name.substr(0, slash), " \"", result.ref.name, "\" ",
                            force ? "force deleted" : "deleted", suffix, '\n'));
    context.out().flush();
  }
}

util::Result<int> run(Context& context, const Arguments& arguments) {
  KUBIST_TRY(auto options, options_of(arguments));
  KUBIST_TRY(const auto ns, context.ns());
  KUBIST_TRY(const auto client, context.client());
  std::vector<resources::Manifest> manifests;
  std::vector<apply::Target> targets;
  if (arguments.given("filename")) {
    if (!arguments.words().empty()) {
      return util::fail(ErrorKind::usage, "-f and names cannot go together");
    }
    KUBIST_TRY(manifests, read_input(context, arguments));
    apply::Options namespaces;
    namespaces.default_namespace = ns;
    namespaces.enforce_namespace = context.ns_given();
    std::vector<util::Error> errors;
    targets = targets_of_files(*client, manifests, namespaces, errors, options.ignore_not_found,
                               context.stop());
    if (!errors.empty()) {
      return util::fail(data::combine_errors(std::move(errors), "the input"));
    }
  } else {
    KUBIST_TRY(targets, targets_of_words(*client, arguments, ns, context.stop()));
  }
  if (targets.empty()) {
    if (!options.ignore_not_found) {
      context.log().line("No resources found");
    }
    return k_ok;
  }
  const SetFormat format = arguments.text("output") == "name" ? SetFormat::name : SetFormat::lines;
  const std::string suffix(dry_run_suffix(options.dry_run));
  const bool force = arguments.boolean("force");
  SetPrinter printer(context, format, suffix, manifests);
  options.on_result = [&](const apply::ObjectResult& result) {
    print_deleted(context, result, force, suffix, printer, format);
  };
  options.on_progress = [&context](std::string_view line) { context.log().line(line); };
  return printer.finish(apply::remove_set(*client, targets, options, context.stop()));
}

}  // namespace

const CommandSpec& delete_command() {
  static const CommandSpec spec{
      .path = "delete",
      .group = "Basic commands",
      .summary = "Delete objects and wait until they are gone",
      .details =
          "What depends on others goes first; the rest goes in parallel. Each deletion names the "
          "uid "
          "of what was seen, so that an object made again meanwhile stays.",
      .arguments = "(-f FILE | TYPE NAME... | TYPE/NAME... | TYPE -l SELECTOR | TYPE --all)",
      .min_words = 0,
      .max_words = -1,
      .completes = Completes::resource_names,
      .flags = {filename_flag(),
                recursive_flag(),
                {"selector", 'l', FlagKind::text, "SELECTOR", "objects with these labels"},
                {"field-selector", 0, FlagKind::text, "SELECTOR", "objects with these fields"},
                {"all", 0, FlagKind::boolean, "", "all objects of the types in the namespace"},
                {"all-namespaces", 'A', FlagKind::boolean, "", "in all namespaces"},
                {"ignore-not-found", 0, FlagKind::boolean, "",
                 "objects that are not there are fine"},
                {"cascade",
                 0,
                 FlagKind::optional,
                 "MODE",
                 "what becomes of dependents: background, foreground or orphan",
                 "background",
                 Completes::choices,
                 "background",
                 {"background", "foreground", "orphan"}},
                {"grace-period", 0, FlagKind::number, "SECONDS",
                 "time to end gracefully; negative means the object's own", "-1"},
                {"force", 0, FlagKind::boolean, "", "do not wait for the kubelet: grace period 0"},
                {"now", 0, FlagKind::boolean, "", "grace period 1"},
                {"wait", 0, FlagKind::boolean, "", "wait until the objects are gone", "true"},
                {"timeout", 0, FlagKind::duration, "DURATION", "how long to wait; 0 means no limit",
                 "0s"},
                {"dry-run",
                 0,
                 FlagKind::optional,
                 "MODE",
                 "delete nothing: client or server",
                 "none",
                 Completes::choices,
                 "client",
                 {"none", "client", "server"}},
                {"output",
                 'o',
                 FlagKind::text,
                 "FORMAT",
                 "name prints TYPE/NAME alone",
                 "",
                 Completes::choices,
                 {},
                 {"name"}}},
      .examples = {{"Delete what a folder describes", "kubist delete -f env/"},
                   {"Delete by label", "kubist delete deployments,services -l app=web"}},
      .needs = Needs::cluster,
      .run = run};
  return spec;
}

}  // namespace kubist::cli
