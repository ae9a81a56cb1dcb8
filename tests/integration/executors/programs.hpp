#pragma once
#include <filesystem>
#include <string>

#include "support.hpp"

namespace it {

/// The programs of a local configuration file, in force as long as this lives.
class Programs {
 public:
  Programs();
  ~Programs();
  Programs(const Programs&) = delete;
  Programs& operator=(const Programs&) = delete;

  /// A shell script.
  void add(const std::string& name, const std::string& script, const std::string& more = "");
  void add_file(const std::string& name, const std::filesystem::path& program,
                const std::string& more = "");
  std::filesystem::path file() const { return m_folder.path() / "config.yaml"; }

 private:
  kubist::util::TempDir m_folder{"programs"};
  std::string m_text = "exec:\n";
};

/// The folder of KRM functions that others wrote, see `tests/cluster/cluster krm`.
std::filesystem::path krm_functions();
/// A functionConfig as kpt and kustomize would give it to them.
Json config_map(Json fields);

}  // namespace it
