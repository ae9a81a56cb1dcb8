#pragma once
#include <chrono>
#include <fstream>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/process.hpp>
#include <kubist/util/text.hpp>

#include "integration/executors/support.hpp"
#include "support/paths.hpp"

/// Images as users get them: made by packaging/image, pushed to a registry, pulled by the node.
namespace kubist::e2e {

/// Runs a program; fails the test unless it succeeds. What it printed.
inline std::string printed(const it::Words& args) {
  util::Command command;
  command.args = args;
  command.timeout = std::chrono::seconds(120);
  const auto result = util::run_command(command);
  REQUIRE_MESSAGE(result, (result ? "" : result.error().to_string()));
  return std::string(util::trim(it::must(*result)));
}

inline bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Debian's docker-registry. containerd speaks HTTP with one that is on localhost.
class Registry {
 public:
  Registry() : m_server("docker-registry", {"serve", config()}) {
    REQUIRE_MESSAGE(it::eventually([&] { return has(log(), "listening on"); }), log());
  }
  std::string image(const std::string& name) const {
    return util::cat("localhost:", k_port, '/', name);
  }
  /// As packaging/README.md says.
  void push(const std::string& archive, const std::string& name) const {
    printed({"skopeo", "copy", "--dest-tls-verify=false", "oci-archive:" + archive,
             "docker://" + image(name)});
  }
  std::string log() const { return m_server.output(); }

 private:
  static constexpr int k_port = 19500;  ///< below those that the kernel gives to connections

  std::string config() const {
    const auto file = m_folder.path() / "config.yml";
    std::ofstream(file) << "version: 0.1\nstorage: {filesystem: {rootdirectory: "
                        << (m_folder.path() / "data").string()
                        << "}}\nhttp: {addr: 127.0.0.1:" << k_port << "}\n";
    return file;
  }

  util::TempDir m_folder{"registry"};
  it::Background m_server;
};

/// Makes an image whose bytes no run before has had, so that its layer is pulled. Its digest.
inline std::string make_image(const std::string& out, const it::Words& more = {}) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  it::Words args{"env", util::cat("SOURCE_DATE_EPOCH=", seconds),
                 paths::source_dir() + "/packaging/image", paths::program(), out};
  args.insert(args.end(), more.begin(), more.end());
  return printed(args);
}

/// The path of a real helm.
inline std::string helm_program() {
  return printed({paths::source_dir() + "/tests/cluster/cluster", "helm"});
}

}  // namespace kubist::e2e
