#include "cookie.hpp"

#include <kubist/util/text.hpp>

namespace kubist::traffic {

using util::cat;

std::string cookie_condition(const std::string& name, const std::string& value) {
  return cat("cookie \"", name, "\" exact \"", value, '"');
}

std::string set_cookie(const std::string& name, const std::string& value,
                       std::chrono::seconds age) {
  return cat(name, '=', value, "; Path=/; Max-Age=", age.count(), "; SameSite=Lax");
}

}  // namespace kubist::traffic
