#include <kubist/data/json_text.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/key_pair.hpp>
#include <kubist/util/text.hpp>

#include "../create_data.hpp"
#include "../create_object.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;
using util::ErrorKind;

constexpr std::string_view k_docker_key = ".dockerconfigjson";

util::Result<int> create_secret(Context& context, const std::string& type,
                                const DataEntries& entries) {
  Json object{{"metadata", {{"name", context.arguments().words()[0]}}}};
  for (const auto& [key, value] : entries) {
    object["data"][key] = util::base64_encode(value);
  }
  if (!type.empty()) {
    object["type"] = type;
  }
  return create_object(context, kube::well_known::secrets(), std::move(object));
}

util::Result<int> run_create_generic(Context& context, const Arguments& arguments) {
  KUBIST_TRY(const DataEntries entries, read_data(arguments));
  return create_secret(context, arguments.text("type"), entries);
}

/// A string of JSON as Go writes it.
std::string quoted(const std::string& text) {
  std::string json;
  data::write_json(Json(text), json, {.escape_html = true});
  return json;
}

/// ~/.docker/config.json, in kubectl's order of fields.
std::string docker_config(const Arguments& arguments) {
  const std::string user = arguments.text("docker-username");
  const std::string password = arguments.text("docker-password");
  const std::string email = arguments.text("docker-email");
  const auto field = [](std::string_view name, const std::string& value) {
    return value.empty() ? "" : cat('"', name, "\":", quoted(value), ',');
  };
  return cat(R"({"auths":{)", quoted(arguments.text("docker-server")), ":{",
             field("username", user), field("password", password), field("email", email),
             R"("auth":")", util::base64_encode(cat(user, ':', password)), "\"}}}");
}

util::Result<int> run_create_docker(Context& context, const Arguments& arguments) {
  DataEntries entries;
  if (arguments.given("from-file")) {
    KUBIST_CHECK(read_data_files(arguments.list("from-file"), std::string(k_docker_key), entries));
  } else if (arguments.text("docker-username").empty() ||
             arguments.text("docker-password").empty() || arguments.text("docker-server").empty()) {
    return util::fail(ErrorKind::usage,
                      "'kubist create secret docker-registry' needs --docker-username and "
                      "--docker-password, or --from-file");
  } else {
    entries.emplace(k_docker_key, docker_config(arguments));
  }
  return create_secret(context, "kubernetes.io/dockerconfigjson", entries);
}

util::Result<int> run_create_tls(Context& context, const Arguments& arguments) {
  const std::string certificate_file = arguments.text("cert");
  const std::string key_file = arguments.text("key");
  if (certificate_file.empty() || key_file.empty()) {
    return util::fail(ErrorKind::usage, "'kubist create secret tls' needs --cert and --key");
  }
  KUBIST_TRY(std::string certificate, util::read_file(certificate_file));
  KUBIST_TRY(std::string key, util::read_file(key_file));
  if (const auto pair = util::check_key_pair(certificate, key); !pair) {
    return util::fail(util::with_context(pair.error(), cat(certificate_file, " and ", key_file)));
  }
  return create_secret(context, "kubernetes.io/tls",
                       {{"tls.crt", std::move(certificate)}, {"tls.key", std::move(key)}});
}

}  // namespace

CommandSpec create_secret_generic_command() {
  std::vector<Flag> flags = data_flags();
  flags.push_back({"type", 0, FlagKind::text, "TYPE", "the Secret's type instead of Opaque"});
  CommandSpec spec = create_command(
      "create secret generic", "Make a Secret of literals and files",
      "What --from-literal says is seen by who lists the processes of this machine; a file's "
      "bytes are not. No value reaches an error or a trace.",
      std::move(flags),
      {{"A password from a file", "kubist create secret generic db --from-file=password=pw.txt"},
       {"As YAML, without a server",
        "kubist create secret generic db --from-env-file=db.env --dry-run=client -o yaml"}});
  spec.run = run_create_generic;
  return spec;
}

CommandSpec create_secret_docker_registry_command() {
  CommandSpec spec = create_command(
      "create secret docker-registry", "Make a Secret with the login of an image registry",
      "Pods name it in imagePullSecrets. With --from-file it has a docker config.json as it is.",
      {{"docker-server", 0, FlagKind::text, "URL", "the registry", "https://index.docker.io/v1/"},
       {"docker-username", 0, FlagKind::text, "NAME", "the user"},
       {"docker-password", 0, FlagKind::text, "PASSWORD", "the password"},
       {"docker-email", 0, FlagKind::text, "ADDRESS", "the user's address"},
       from_file_flag()},
      {{"From docker's own file",
        "kubist create secret docker-registry pull --from-file=config.json"}});
  spec.run = run_create_docker;
  return spec;
}

CommandSpec create_secret_tls_command() {
  CommandSpec spec = create_command(
      "create secret tls", "Make a Secret with a certificate and its key",
      "Both are PEM. A key that is not the certificate's is refused.",
      {{"cert", 0, FlagKind::text, "FILE", "the certificate", "", Completes::files},
       {"key", 0, FlagKind::text, "FILE", "its private key", "", Completes::files}},
      {{"For an ingress", "kubist create secret tls web --cert=web.crt --key=web.key"}});
  spec.run = run_create_tls;
  return spec;
}

}  // namespace kubist::cli
