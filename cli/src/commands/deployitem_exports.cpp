#include <filesystem>
#include <optional>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "output/document.hpp"
#include "output/env_lines.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;
using util::ErrorKind;

constexpr std::string_view k_masked = "***";

struct Exports {
  Json values = Json::object();
  Json shown = Json::object();  ///< those that are public
};

/// Who may write statuses may name any Secret there: none that is kubist's own, gives access to a
/// cluster, or was made for another item is read by the caller's rights for it.
util::Result<> check_made_for(const Json& secret, const std::string& ns, const std::string& name) {
  const resources::ObjectView view(secret);
  const std::string item = cat(ns, '/', name);
  const std::string_view made_for = view.annotation("kubist.io/deployitem");
  return !deployers::is_off_limits(view) && (made_for.empty() || made_for == item)
             ? util::Result<>{}
             : util::fail(ErrorKind::denied,
                          cat("the status of DeployItem ", item, " names Secret ", view.name(),
                              ", which does not hold exports of it"),
                          "Who has changed the status? 'kubist deployitem reconcile " + name +
                              "' writes it again.");
}

/// All exports, from the Secret that the item's status names.
util::Result<Exports> read_exports(Context& context, const std::string& name) {
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const std::string ns, context.ns());
  KUBIST_TRY(const Json item,
             client->json(kube::get(deployers::deploy_items(), ns, name), context.stop()));
  const auto secret_name = data::string_at(item, {"status", "exports", "secretRef", "name"},
                                           data::string_at(item, {"status", "exportRef", "name"}));
  const auto key = data::string_at(item, {"status", "exports", "secretRef", "key"}, "config");
  if (secret_name.empty()) {
    return util::fail(ErrorKind::not_found,
                      cat("DeployItem ", ns, "/", name, " has no exports: its phase is ",
                          data::string_at(item, {"status", "phase"}, "unknown")));
  }
  KUBIST_TRY(const Json secret,
             client->json(kube::get(kube::well_known::secrets(), ns, secret_name), context.stop()));
  KUBIST_CHECK(check_made_for(secret, ns, name));
  const auto text = util::base64_decode(data::string_at(secret, {"data", key}));
  KUBIST_TRY(const data::Document document,
             data::read_document(text.value_or(""), cat("Secret ", ns, "/", secret_name)));
  Exports exports;
  if (document.value.is_object()) {
    exports.values = document.value;
  }
  KUBIST_TRY(const deployers::Item parsed, deployers::parse_item(item));
  for (const std::string& shown : parsed.public_exports) {
    if (exports.values.contains(shown)) {
      exports.shown[shown] = exports.values[shown];
    }
  }
  return exports;
}

/// Only the keys that were asked for.
util::Result<> select_keys(Exports& exports, const std::vector<std::string>& words) {
  if (words.size() < 2) {
    return {};
  }
  Json chosen = Json::object();
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!exports.values.contains(words[i])) {
      std::vector<std::string> known;
      for (const auto& [key, value] : exports.values.items()) {
        known.push_back(key);
      }
      return util::fail(ErrorKind::not_found, cat("DeployItem ", words[0], " exports no ", words[i],
                                                  util::did_you_mean(words[i], known)));
    }
    chosen[words[i]] = exports.values[words[i]];
  }
  exports.values = std::move(chosen);
  return {};
}

util::Result<> write_files(Context& context, const std::string& folder, const Json& values) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    return util::fail(ErrorKind::invalid,
                      cat("cannot make folder ", folder, ": ", failed.message()));
  }
  for (const auto& [key, value] : values.items()) {
    if (key.empty() || key == "." || key == ".." || key.find('/') != std::string::npos) {
      return util::fail(ErrorKind::invalid,
                        cat("export \"", util::printable(key), "\" cannot be the name of a file"));
    }
    const std::filesystem::path path = std::filesystem::path(folder) / key;
    KUBIST_CHECK(util::write_file(path, plain_value(value)));
    context.out().write(cat(path.string(), "\n"));
  }
  return {};
}

std::optional<EnvForm> env_form(std::string_view output) {
  return output == "env"      ? std::optional(EnvForm::env)
         : output == "dotenv" ? std::optional(EnvForm::dotenv)
         : output == "github" ? std::optional(EnvForm::github)
                              : std::nullopt;
}

util::Result<int> run_deployitem_exports(Context& context, const Arguments& arguments) {
  KUBIST_TRY(Exports exports, read_exports(context, arguments.words()[0]));
  KUBIST_CHECK(select_keys(exports, arguments.words()));
  if (arguments.given("files")) {
    KUBIST_CHECK(write_files(context, arguments.text("files"), exports.values));
    return k_ok;
  }
  if (const auto form = env_form(arguments.text("output"))) {
    KUBIST_TRY(const std::string lines, env_lines(exports.values, arguments.text("prefix"), *form));
    context.out().write(lines);
    return k_ok;
  }
  Json printed = exports.values;
  if (!arguments.boolean("show")) {
    for (auto& [key, value] : printed.items()) {
      value = exports.shown.contains(key) ? exports.shown[key] : Json(k_masked);
    }
  }
  KUBIST_CHECK(print_document(context, printed));
  return k_ok;
}

}  // namespace

CommandSpec deployitem_exports_command() {
  return {
      .path = "deployitem exports",
      .group = "Day to day",
      .summary = "Print what a DeployItem exported",
      .details =
          "Values that the item does not call public are masked as *** unless --show is given. "
          "With -o env, dotenv or github and with --files the values are what is asked for, so "
          "nothing is masked. They are variables for a shell (env), for GitLab's dotenv reports "
          "(dotenv) or for $GITHUB_ENV and $GITHUB_OUTPUT (github), or one file a key (readable "
          "only by its owner). "
          "The workload chooses the names of its exports: give --prefix, so that none is a "
          "name that you use. Variables by which programs choose what they run (PATH, LD_PRELOAD, "
          "NODE_OPTIONS, ...) are refused.",
      .arguments = "NAME [KEY...]",
      .min_words = 1,
      .max_words = -1,
      .completes = Completes::deploy_items,
      .flags = {document_flag("yaml, json, jsonpath=TEMPLATE, env, dotenv or github", "yaml",
                              {"env", "dotenv", "github"}),
                {"show", 0, FlagKind::boolean, "", "print secret values too"},
                {"prefix", 0, FlagKind::text, "TEXT",
                 "put before each name of -o env, dotenv and github"},
                {"files", 0, FlagKind::text, "FOLDER",
                 "write one file a key there, print their paths", "", Completes::files}},
      .examples = {{"Which there are", "kubist deployitem exports hello-greet -n quickstart"},
                   {"One value", "kubist deployitem exports hello-greet message --show -o json"},
                   {"As variables",
                    "eval \"$(kubist deployitem exports hello-greet -o env --prefix HELLO_)\""},
                   {"For the next steps of a GitHub workflow",
                    "kubist deployitem exports hello-greet -o github --prefix HELLO_ "
                    ">> \"$GITHUB_ENV\""},
                   {"As files", "kubist deployitem exports hello-greet --files out"}},
      .run = run_deployitem_exports};
}

}  // namespace kubist::cli
