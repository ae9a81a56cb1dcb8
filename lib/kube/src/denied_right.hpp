#pragma once
#include <string>
#include <string_view>

namespace kubist::kube {

/// What an administrator runs so that a ServiceAccount gets the right whose lack the message of a
/// 403 tells (`User "system:serviceaccount:NS:NAME" cannot VERB resource ...`); empty where the
/// message tells of no such account.
std::string grant_for(std::string_view message);

}  // namespace kubist::kube
