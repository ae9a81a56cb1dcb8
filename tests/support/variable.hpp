#pragma once
#include <cstdlib>
#include <string>

namespace kubist::testing {

/// Sets a variable of the environment for one test; kubist takes an empty one for none.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : m_name(name) {
    const char* before = std::getenv(name);
    m_had = before != nullptr;
    m_before = m_had ? before : "";
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { m_had ? ::setenv(m_name, m_before.c_str(), 1) : ::unsetenv(m_name); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* m_name;
  bool m_had;
  std::string m_before;
};

}  // namespace kubist::testing
