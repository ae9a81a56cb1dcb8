#include <doctest/doctest.h>

#include <kubist/data/document.hpp>
#include <kubist/data/pointer.hpp>
#include <kubist/deployers/deployer.hpp>
#include <kubist/util/fs.hpp>

#include "support/paths.hpp"

using namespace kubist;
using namespace kubist::deployers;

namespace {

/// Items of tests/data/landscaper as the API server would have them.
std::vector<Item> items_of(const std::string& file) {
  const std::string path = paths::source_dir() + "/tests/data/landscaper/" + file;
  const auto documents = data::read_documents(util::read_file(path).value(), file);
  REQUIRE_MESSAGE(documents, documents.error().to_string());
  std::vector<Item> items;
  for (const data::Document& document : *documents) {
    Json object = document.value;
    object["metadata"].update({{"namespace", "default"}, {"uid", "1"}});
    const auto item = parse_item(object);
    REQUIRE_MESSAGE(item, item.error().to_string());
    items.push_back(*item);
  }
  return items;
}

}  // namespace

TEST_CASE("landscaper: items in the shapes of its examples are taken as they are") {
  const auto items = items_of("items.yaml");
  CHECK(items.size() == 5);
  for (const Item& item : items) {
    CAPTURE(item.name);
    const Deployer* deployer = find_deployer(item.type, {});
    REQUIRE(deployer != nullptr);
    const auto checked = deployer->check(item, {});
    CHECK_MESSAGE(checked, (checked ? "" : checked.error().to_string()));
  }
}

TEST_CASE("landscaper: what kubist does not do is refused by name") {
  const auto items = items_of("content.yaml");
  REQUIRE(items.size() == 1);
  const auto checked = find_deployer(items[0].type, {})->check(items[0], {});
  REQUIRE_FALSE(checked);
  CHECK_MESSAGE(checked.error().to_string().find("blueprint") != std::string::npos,
                checked.error().to_string());
}
