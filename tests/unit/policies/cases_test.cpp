#include <filesystem>

#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/engine/policy_case.hpp>
#include <kubist/policies/builtins.hpp>
#include <kubist/util/fs.hpp>

#include "support/paths.hpp"

using namespace kubist;

TEST_CASE("policy cases: every file of tests/data/policies passes, and every policy has one") {
  engine::PolicyCatalog catalog;
  policies::add_builtins(catalog);
  std::filesystem::path root = kubist::paths::source_dir() + "/tests/data/policies";
  for (const auto& builtin : policies::builtins()) {
    int cases = 0;
    for (const auto& file : std::filesystem::directory_iterator(root / builtin.definition->name)) {
      auto text = util::read_file(file.path());
      REQUIRE(text);
      auto documents = data::read_documents(*text, file.path().string());
      REQUIRE_MESSAGE(documents, (documents ? std::string() : documents.error().to_string()));
      for (const auto& document : *documents) {
        auto test = engine::read_policy_case(document.value, file.path().string());
        REQUIRE_MESSAGE(test, (test ? std::string() : test.error().to_string()));
        auto result = engine::run_policy_case(*test, catalog, "shop");
        REQUIRE(result);
        CHECK_MESSAGE(result->passed, result->name << ": " << result->message);
        ++cases;
      }
    }
    CHECK_MESSAGE(cases > 0, builtin.definition->name);
  }
}
