#pragma once
#include <cmath>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <support/paths.hpp>

/// What scripts/oracle wrote.
inline nlohmann::json read_oracle(const char* name) {
  std::ifstream file(kubist::paths::source_dir() + "/tests/data/stats/" + name);
  REQUIRE(file.good());
  return nlohmann::json::parse(file);
}

/// Relative 1e-9 of the oracle's value; `scale` is that of the terms it is a difference of.
inline bool agrees(double value, double expected, double scale = 0) {
  return std::abs(value - expected) <= 1e-9 * std::max(std::abs(expected), scale);
}
