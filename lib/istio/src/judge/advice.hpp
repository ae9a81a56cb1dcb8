#pragma once
#include <string>
#include <string_view>

namespace kubist::istio {

/// What an advice speaks of.
struct Place {
  std::string ns, name, kind;
};

/// What to do next about a reason code: the advice of the longest prefix that the table has, with
/// {ns}, {name} and {kind} replaced. Names that a shell would read otherwise are quoted.
std::string advice(std::string_view code, const Place& place = {});

}  // namespace kubist::istio
