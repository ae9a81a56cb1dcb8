#pragma once
#include <string>
#include <utility>

namespace kubist::util {

/// A token, key or password. It has no stream operator and no conversion to text, so that it cannot
/// be printed by accident; its memory is wiped when it ends.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : m_value(std::move(value)) {}
  ~Secret() { wipe(); }
  Secret(const Secret&) = default;
  Secret(Secret&& other) noexcept : m_value(other.m_value) { other.wipe(); }
  Secret& operator=(const Secret& other);
  Secret& operator=(Secret&& other) noexcept;

  /// The value itself, for the one place that sends it.
  const std::string& reveal() const { return m_value; }
  bool empty() const { return m_value.empty(); }
  bool operator==(const Secret&) const = default;

 private:
  void wipe() noexcept;
  std::string m_value;
};

}  // namespace kubist::util
