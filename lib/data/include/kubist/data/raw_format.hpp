#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <kubist/data/json.hpp>
#include <kubist/data/json_text.hpp>
#include <kubist/util/result.hpp>

namespace kubist::data {

/// What to leave out of an object that is printed or kept.
struct RawOptions {
  bool drop_managed_fields = true;  ///< as kubectl without --show-managed-fields
};

/// Prints the JSON text of one object as kubectl does (sorted keys), without a tree of Json values:
/// for listings of any size. Keeps its memory between objects. One thread at a time.
/// Errors: invalid, when the text is not JSON.
class RawFormatter {
 public:
  explicit RawFormatter(RawOptions options = {});
  ~RawFormatter();
  RawFormatter(RawFormatter&&) noexcept;
  RawFormatter& operator=(RawFormatter&&) noexcept;

  /// Appends it as JSON; style.level is that of the object itself.
  util::Result<> json(std::string_view raw, std::string& out,
                      const JsonStyle& style = k_kubectl_json);
  /// Appends it as one YAML document.
  util::Result<> yaml(std::string_view raw, std::string& out);
  /// Appends it as an item of a YAML list whose dashes stand in column `indent`.
  util::Result<> yaml_item(std::string_view raw, std::size_t indent, std::string& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace kubist::data
