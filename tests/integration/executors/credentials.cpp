#include "credentials.hpp"

#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

#include "support/live.hpp"
#include "support/openssl.hpp"

namespace it {

using namespace kubist;
using util::cat;
namespace fs = std::filesystem;

Certificate issue(const std::string& cluster, const std::string& user, const std::string& group) {
  static const util::TempDir folder("credentials");
  const fs::path stem = folder.path() / cat(cluster, '-', user, '-', group);
  const Certificate made{stem.string() + ".crt", stem.string() + ".key"};
  if (fs::exists(made.certificate)) {
    return made;
  }
  // As tests/cluster/lib/pki.sh issues the administrator's; each cluster has its own authority.
  const fs::path authority =
      kubeconfig("home").parent_path().parent_path() / "pki" / cluster / "ca";
  testing::make_certificate(
      made.certificate, made.key,
      {"-days", "2", "-CA", authority.string() + ".crt", "-CAkey", authority.string() + ".key",
       "-subj", cat("/O=", group, "/CN=", user), "-addext", "extendedKeyUsage=clientAuth",
       "-addext", "basicConstraints=CA:FALSE"});
  return made;
}

void write_kubeconfig(const fs::path& path, const Certificate& of) {
  const auto text = util::read_file(kubeconfig("home"));
  REQUIRE(text);
  auto read = data::read_documents(*text, "kubeconfig");
  REQUIRE((read && read->size() == 1));
  Json config = read->front().value;
  config["users"][0]["user"] = {{"client-certificate", of.certificate}, {"client-key", of.key}};
  REQUIRE(util::write_file(path, config.dump()));
}

std::vector<std::string> as_administrator(std::vector<std::string> args) {
  args.insert(args.end(), {"--kubeconfig", kubeconfig("home")});
  return args;
}

}  // namespace it
