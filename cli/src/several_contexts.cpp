#include "several_contexts.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/threads.hpp>

namespace kubist::cli {

using util::cat;
using util::ErrorKind;

namespace {

/// "a,b", may be repeated; "*" stands for all of the kubeconfig.
util::Result<std::vector<std::string>> context_names(Context& context) {
  std::vector<std::string> names;
  const auto add = [&names](std::string name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(std::move(name));
    }
  };
  KUBIST_TRY(const auto config,
             kube::load_kubeconfig(context.overrides(), kube::process_environment()));
  for (const std::string& list : context.arguments().list("contexts")) {
    for (std::string& name : util::split(list, ',')) {
      if (name != "*") {
        add(std::move(name));
        continue;
      }
      for (const kube::KubeconfigEntry& entry : config.contexts) {
        add(entry.name);
      }
    }
  }
  if (names.empty()) {
    return util::fail(ErrorKind::usage, "--contexts names no context",
                      "'kubist config get-contexts' lists them.");
  }
  return names;
}

/// Why each context cannot be asked, or nothing.
std::vector<std::optional<util::Error>> reach(Context& context,
                                              const std::vector<std::string>& names) {
  std::vector<std::shared_ptr<kube::Client>> clients(names.size());
  std::vector<std::optional<util::Error>> refused(names.size());
  for (std::size_t at = 0; at < names.size(); ++at) {
    const auto client = context.use(names[at]);
    if (client) {
      clients[at] = *client;
    } else {
      refused[at] = client.error();
    }
  }
  constexpr std::size_t k_at_once = 16;
  util::for_each_index(names.size(), k_at_once, [&](std::size_t at) {
    if (refused[at]) {
      return;
    }
    if (const auto version = clients[at]->version(context.stop()); !version) {
      refused[at] = version.error();
    }
  });
  return refused;
}

util::Result<> ask(Context& context, const std::string& name,
                   const std::function<util::Result<>(const std::string& name)>& work) {
  KUBIST_CHECK(context.use(name));
  return work(name);
}

}  // namespace

Flag contexts_flag() {
  return {"contexts",
          0,
          FlagKind::list,
          "NAME,...",
          "ask these contexts, with a column CONTEXT; * for all of the kubeconfig",
          "",
          Completes::contexts};
}

util::Result<bool> asks_contexts(const Arguments& arguments) {
  if (!arguments.given("contexts")) {
    return false;
  }
  constexpr std::array<std::string_view, 9> k_of_one{"context",
                                                     "cluster",
                                                     "user",
                                                     "server",
                                                     "token",
                                                     "certificate-authority",
                                                     "client-certificate",
                                                     "client-key",
                                                     "tls-server-name"};
  for (const std::string_view flag : k_of_one) {
    if (arguments.given(flag)) {
      return util::fail(ErrorKind::usage, cat("--contexts and --", flag, " exclude each other"),
                        "Each context says by itself how its cluster is reached.");
    }
  }
  return true;
}

util::Result<> check_contexts(bool watch, const OutputFormat& format) {
  if (watch) {
    return util::fail(ErrorKind::usage, "--contexts cannot be watched",
                      "Follow one with --context NAME -w, each in another terminal.");
  }
  if (format.kind == OutputFormat::Kind::name) {
    return util::fail(ErrorKind::usage, "-o name does not say in which context an object is",
                      "-o json has it in the annotation kubist.io/context.");
  }
  return {};
}

util::Result<std::vector<util::Error>> in_each_context(
    Context& context, const std::function<util::Result<>(const std::string& name)>& work) {
  KUBIST_TRY(const bool several, asks_contexts(context.arguments()));
  if (!several) {
    KUBIST_CHECK(work(""));
    return std::vector<util::Error>{};
  }
  KUBIST_TRY(const auto names, context_names(context));
  const auto refused = reach(context, names);
  std::vector<util::Error> errors;
  for (std::size_t at = 0; at < names.size(); ++at) {
    const auto done = refused[at] ? util::fail(*refused[at]) : ask(context, names[at], work);
    if (!done) {
      errors.push_back(util::with_context(done.error(), cat("context ", names[at])));
    }
  }
  return errors;
}

util::Result<int> end_of_contexts(std::vector<util::Error> errors) {
  if (errors.empty()) {
    return k_ok;
  }
  return util::fail(data::combine_errors(std::move(errors), "the contexts"));
}

}  // namespace kubist::cli
