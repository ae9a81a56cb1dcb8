#pragma once
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/traffic/route.hpp>

namespace kubist::testing {

inline data::Json yaml(std::string_view text) {
  auto document = data::read_document("---\n" + std::string(text), "test");
  REQUIRE_MESSAGE(document, (document ? "" : document.error().to_string()));
  return document->value;
}

inline data::Json json(std::string_view text) { return data::Json::parse(text); }

/// The route of a TrafficRoute "shop" with this spec.
inline util::Result<traffic::Route> try_route(std::string_view spec) {
  return traffic::read_route(
      {{"kind", "TrafficRoute"}, {"metadata", {{"name", "shop"}}}, {"spec", json(spec)}});
}
inline traffic::Route route(std::string_view spec) {
  auto read = try_route(spec);
  REQUIRE_MESSAGE(read.has_value(), read.error().to_string());
  return *std::move(read);
}

inline const traffic::Place k_place{"prod"};

}  // namespace kubist::testing
