#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <kubist/kube/kubeconfig.hpp>

namespace kubist::kube {

/// Reads the fields of one cluster, user or context with their types; remembers the first fault.
class FieldReader {
 public:
  /// `what` names the entry in messages: "cluster \"x\"".
  FieldReader(const KubeconfigEntry& entry, std::string what)
      : m_entry(entry), m_what(std::move(what)) {}

  std::string text(const char* key);
  bool flag(const char* key);
  std::vector<std::string> texts(const char* key);
  /// Base64 data, decoded.
  std::string bytes(const char* key);
  /// A path made absolute against the folder of the file that the entry is from.
  std::filesystem::path path(const char* key);
  const data::Json* child(const char* key);

  const std::string& what() const { return m_what; }
  const std::filesystem::path& origin() const { return m_entry.origin; }
  void fault(const char* key, std::string_view problem);
  util::Result<> check() const;

 private:
  const data::Json* find(const char* key) const;
  const KubeconfigEntry& m_entry;
  std::string m_what;
  std::optional<util::Error> m_fault;
};

/// The exec part of a user.
util::Result<ExecConfig> read_exec(FieldReader& user, const data::Json& exec);

}  // namespace kubist::kube
