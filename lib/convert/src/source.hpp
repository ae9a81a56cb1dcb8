#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kubist/data/json.hpp>
#include <kubist/resources/manifest.hpp>
#include <kubist/util/error.hpp>

namespace kubist::convert {

using data::Json;

class Fields;

/// An object of the input and what was read of it: what nobody reads becomes a warning.
class Source {
 public:
  explicit Source(const resources::Manifest& manifest) : m_manifest(&manifest) {}

  const Json& object() const { return m_manifest->object; }
  std::string_view name() const;
  std::string_view ns() const;
  /// Its spec, to be read field by field.
  Fields spec();

  /// The value there is read, with all that is in it.
  void take(const std::string& pointer) { m_taken.insert(pointer); }
  /// A warning about the value there.
  void warn(const std::string& pointer, std::string_view why);
  /// Warns of each field of the spec that was not taken; once, when all is read.
  void warn_of_rest();
  const std::vector<util::Error>& warnings() const { return m_warnings; }

  bool used = false;  ///< something that is converted names it

 private:
  void warn_of_rest(const Json& value, const std::string& pointer);
  const resources::Manifest* m_manifest;
  std::set<std::string> m_taken;
  std::vector<util::Error> m_warnings;
};

/// Numbers beyond mean nothing more: their sums and products are numbers, too.
inline constexpr std::int64_t k_largest = 1'000'000;

/// An object in a Source, read field by field. A field that is missing, or of another type than is
/// asked for, reads as empty; the latter is not taken, and so becomes a warning.
class Fields {
 public:
  Fields(Source& source, std::string pointer, const Json* value)
      : m_source(&source), m_pointer(std::move(pointer)), m_value(value) {}

  explicit operator bool() const { return m_value != nullptr; }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::vector<std::string> names() const;

  /// The whole value; null where there is none.
  Json any(std::string_view name) const;
  /// A text, or a number as one.
  std::string text(std::string_view name, std::string_view fallback = {}) const;
  /// An integer, or a text that is one; k_largest at most.
  std::optional<std::int64_t> number(std::string_view name) const;
  bool flag(std::string_view name, bool fallback = false) const;
  std::vector<std::string> texts(std::string_view name) const;
  /// Go's duration, or seconds, as kubist's objects have it; empty where it is none.
  std::string duration(std::string_view name) const;
  Fields at(std::string_view name) const;
  std::vector<Fields> list(std::string_view name) const;

  /// A warning about a field, which is read elsewhere.
  void note(std::string_view name, std::string_view why) const;
  /// A warning: the field is lost, with all that is in it.
  void lost(std::string_view name, std::string_view why) const;
  /// All of this is left out, which a warning says already.
  void drop() const { m_source->take(m_pointer); }
  /// A warning: all of this is lost.
  void lost(std::string_view why) const;
  /// The same, where one field is the reason.
  void lost_by(std::string_view name, std::string_view why) const;

 private:
  const Json* find(std::string_view name) const;
  std::string pointer_of(std::string_view name) const;
  void take(std::string_view name) const { m_source->take(pointer_of(name)); }
  Source* m_source;
  std::string m_pointer;
  const Json* m_value;
};

/// The objects of the input, by what names them.
class Inputs {
 public:
  explicit Inputs(const std::vector<resources::Manifest>& manifests);

  /// Those of a kind, in order.
  std::vector<Source*> all(std::string_view group, std::string_view kind);
  /// One that is named, which is then used; null where it is not in the input. An object without a
  /// namespace is of any.
  Source* use(std::string_view group, std::string_view kind, std::string_view ns,
              std::string_view name);
  /// All warnings, in the order of the input, also of what was not read and not used.
  std::vector<util::Error> warnings();

 private:
  std::deque<Source> m_sources;
};

/// "90s", "1.5s" or seconds as a duration of kubist's objects; empty where the text is none.
std::string duration_text(std::string_view text);
/// The same in seconds, rounded up; 0 where the text is none.
std::int64_t seconds_of(std::string_view text);

}  // namespace kubist::convert
