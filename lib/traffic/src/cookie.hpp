#pragma once
#include <chrono>
#include <string>

namespace kubist::traffic {

/// The condition of requests that carry this cookie. Both are words without quotes.
std::string cookie_condition(const std::string& name, const std::string& value);

/// Header Set-Cookie that gives it to a client for all paths; 0 s takes it away.
std::string set_cookie(const std::string& name, const std::string& value, std::chrono::seconds age);

}  // namespace kubist::traffic
