#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/document.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/data/yaml_writer.hpp>
#include <kubist/deployers/item.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"

namespace kubist::cli {
namespace {

/// All exports, from the Secret that the item's status names.
util::Result<data::Json> read_exports(Context& context, const std::string& name) {
  KUBIST_TRY(const auto client, context.client());
  KUBIST_TRY(const std::string ns, context.ns());
  KUBIST_TRY(const data::Json item,
             client->json(kube::get(deployers::deploy_items(), ns, name), context.stop()));
  const auto secret_name = data::string_at(item, {"status", "exports", "secretRef", "name"},
                                           data::string_at(item, {"status", "exportRef", "name"}));
  const auto key = data::string_at(item, {"status", "exports", "secretRef", "key"}, "config");
  if (secret_name.empty()) {
    return util::fail(util::ErrorKind::not_found,
                      util::cat("DeployItem ", ns, "/", name, " has no exports: its phase is ",
                                data::string_at(item, {"status", "phase"}, "unknown")));
  }
  KUBIST_TRY(const data::Json secret,
             client->json(kube::get(kube::well_known::secrets(), ns, secret_name), context.stop()));
  const auto text = util::base64_decode(data::string_at(secret, {"data", key}));
  KUBIST_TRY(const data::Document document,
             data::read_document(text.value_or(""), util::cat("Secret ", ns, "/", secret_name)));
  return document.value;
}

util::Result<int> run(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const data::Json exports, read_exports(context, arguments.words()[0]));
  const std::string format = arguments.text("output");
  context.out().write(format == "json" ? data::to_kubectl_json(exports) : data::to_yaml(exports));
  return k_ok;
}

}  // namespace

const CommandSpec& deployitem_exports_command() {
  static const CommandSpec spec{
      .path = "deployitem exports",
      .group = "DeployItems",
      .summary = "Print what a DeployItem exported",
      .details = "All of it, secret values too: what is asked for is printed.",
      .arguments = "NAME",
      .min_words = 1,
      .max_words = 1,
      .completes = Completes::deploy_items,
      .flags = {{"output",
                 'o',
                 FlagKind::text,
                 "FORMAT",
                 "yaml or json",
                 "yaml",
                 Completes::choices,
                 {},
                 {"yaml", "json"}}},
      .examples = {{"As YAML", "kubist deployitem exports hello-greet -n quickstart"},
                   {"As JSON", "kubist deployitem exports hello-greet -o json"}},
      .run = run};
  return spec;
}

}  // namespace kubist::cli
