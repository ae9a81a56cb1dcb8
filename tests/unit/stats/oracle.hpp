#pragma once
#include <cmath>
#include <fstream>
#include <map>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <support/paths.hpp>

/// What scripts/oracle wrote, read once: loops go over parts of it.
inline const nlohmann::json& read_oracle(const std::string& name) {
  static std::map<std::string, nlohmann::json> all;
  if (!all.contains(name)) {
    std::ifstream file(kubist::paths::source_dir() + "/tests/data/stats/" + name);
    REQUIRE(file.good());
    all[name] = nlohmann::json::parse(file);
  }
  return all[name];
}

/// Relative 1e-9 of the oracle's value; `scale` is that of the terms it is a difference of.
inline bool agrees(double value, double expected, double scale = 0) {
  return std::abs(value - expected) <= 1e-9 * std::max(std::abs(expected), scale);
}
