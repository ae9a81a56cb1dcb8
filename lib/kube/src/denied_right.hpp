#pragma once
#include <string>
#include <string_view>

namespace kubist::kube {

/// What is advised where nobody knows whom the right is granted to.
inline constexpr std::string_view k_ask_for_the_right =
    "Ask for the right with a Role or ClusterRole, or use another --context.";

/// What an administrator runs so that a ServiceAccount gets the right whose lack the message of a
/// 403 tells (`User "system:serviceaccount:NS:NAME" cannot VERB resource ...`); empty where the
/// message tells of no such account.
std::string grant_for(std::string_view message);

}  // namespace kubist::kube
