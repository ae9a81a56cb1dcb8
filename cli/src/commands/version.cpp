#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/data/yaml_writer.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"

namespace kubist::cli {
namespace {

constexpr std::string_view k_client_version = "v" KUBIST_VERSION;
// The first minor version with server-side field validation and aggregated discovery for all.
constexpr int k_oldest_minor = 27;

util::Result<int> print_values(Context& context, const data::Json& versions) {
  context.out().write(context.arguments().text("output") == "json" ? data::to_kubectl_json(versions)
                                                                   : data::to_yaml(versions));
  return k_ok;
}

util::Result<int> run_version(Context& context, const Arguments& arguments) {
  const std::string output = arguments.text("output");
  if (!output.empty() && output != "json" && output != "yaml") {
    return util::fail(util::ErrorKind::usage, "--output must be yaml or json");
  }
  data::Json versions{{"clientVersion", {{"gitVersion", k_client_version}}}};
  if (output.empty()) {
    context.out().write(util::cat("Client Version: ", k_client_version, '\n'));
    context.out().flush();
  }
  if (arguments.boolean("client")) {
    return output.empty() ? util::Result<int>(k_ok) : print_values(context, versions);
  }
  KUBIST_TRY(const auto client, context.client());
  if (!output.empty()) {
    KUBIST_TRY(versions["serverVersion"], client->json(kube::raw_get("/version"), context.stop()));
    return print_values(context, versions);
  }
  KUBIST_TRY(const kube::ServerVersion server, client->version(context.stop()));
  context.out().write(util::cat("Server Version: ", server.git_version, '\n'));
  if (server.major == 1 && server.minor < k_oldest_minor) {
    context.log().warn(util::cat("the server's version ", server.git_version,
                                 " is older than 1.", k_oldest_minor,
                                 ", the oldest that kubist is made for"));
  }
  return k_ok;
}

}  // namespace

const CommandSpec& version_command() {
  static const CommandSpec spec{
      .path = "version",
      .group = "Other commands",
      .summary = "Print the versions of kubist and of the API server",
      .flags = {{"client", 0, FlagKind::boolean, "", "only this program's version, no request"},
                {"output",
                 'o',
                 FlagKind::text,
                 "FORMAT",
                 "json or yaml",
                 "",
                 Completes::choices,
                 {},
                 {"json", "yaml"}}},
      .examples = {{"The version of this program", "kubist version --client"}},
      .needs = Needs::cluster,
      .run = run_version};
  return spec;
}

}  // namespace kubist::cli
