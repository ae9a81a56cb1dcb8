// Kubeconfig files of users and of Secrets, and what credential plugins print.
#include <kubist/kube/kubeconfig.hpp>

#include "exec_credentials.hpp"
#include "harness.hpp"

using namespace kubist;

namespace {

kube::Environment no_world() {
  kube::Environment env;
  env.variable = [](const char*) { return std::string(); };
  env.read_file = [](const std::filesystem::path& path) -> util::Result<std::string> {
    return util::fail(util::ErrorKind::not_found, path.string());
  };
  return env;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = testing::text_of(bytes, size);
  static_cast<void>(kube::strict_access(text, "Secret x/y"));
  static_cast<void>(kube::parse_exec_answer({}, std::string(text)));
  const auto config = kube::parse_kubeconfig(text, "/home/x/config");
  if (!config) {
    return 0;
  }
  static_cast<void>(kube::to_json(*config, true).dump());
  static const kube::Environment k_env = no_world();
  static_cast<void>(kube::resolve(*config, {}, k_env));
  for (const kube::KubeconfigEntry& context : config->contexts) {
    kube::Overrides overrides;
    overrides.context = context.name;
    static_cast<void>(kube::resolve(*config, overrides, k_env));
  }
  const auto merged = kube::merge_kubeconfigs({*config, *config});
  testing::require(merged.clusters.size() <= config->clusters.size(),
                   "a file merged with itself adds nothing");
  return 0;
}
