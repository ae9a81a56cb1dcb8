#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/util/text.hpp>

#include "commands.hpp"
#include "output/document.hpp"

namespace kubist::cli {
namespace {

constexpr std::string_view k_client_version = "v" KUBIST_VERSION;

/// What kubectl says of itself, as far as kubist has it.
data::Json client_version() {
  const auto parts = util::split(KUBIST_VERSION, '.');
  constexpr bool k_arm =
#ifdef __aarch64__
      true;
#else
      false;
#endif
  return {{"major", parts.at(0)},
          {"minor", parts.at(1)},
          {"gitVersion", k_client_version},
          {"platform", k_arm ? "linux/arm64" : "linux/amd64"}};
}

util::Result<int> run_version(Context& context, const Arguments& arguments) {
  const bool for_people = arguments.text("output").empty();
  data::Json versions{{"clientVersion", client_version()}};
  if (for_people) {
    context.out().write(util::cat("Client Version: ", k_client_version, '\n'));
    context.out().flush();
  }
  if (arguments.boolean("client")) {
    KUBIST_CHECK(print_document(context, versions));
    return k_ok;
  }
  KUBIST_TRY(const auto client, context.client());
  if (!for_people) {
    KUBIST_TRY(versions["serverVersion"], client->json(kube::raw_get("/version"), context.stop()));
    KUBIST_CHECK(print_document(context, versions));
    return k_ok;
  }
  KUBIST_TRY(const kube::ServerVersion server, client->version(context.stop()));
  context.out().write(util::cat("Server Version: ", server.git_version, '\n'));
  if (server.major == 1 && server.minor < kube::k_oldest_minor) {
    context.log().warn(util::cat("the server's version ", server.git_version, " is older than 1.",
                                 kube::k_oldest_minor, ", the oldest that kubist is made for"));
  }
  return k_ok;
}

}  // namespace

CommandSpec version_command() {
  return {.path = "version",
          .group = "Settings",
          .summary = "Print the versions of kubist and of the API server",
          .flags = {{"client", 0, FlagKind::boolean, "", "only this program's version, no request"},
                    document_flag()},
          .examples = {{"The version of this program", "kubist version --client"}},
          .run = run_version};
}

}  // namespace kubist::cli
