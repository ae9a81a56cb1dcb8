#include <stdexcept>

#include <doctest/doctest.h>

#include <kubist/data/packed_objects.hpp>
#include <kubist/util/text.hpp>
#include <kubist/util/zip.hpp>

using namespace kubist;
using data::Json;

TEST_CASE("packed objects: the same in the same order, in far less memory") {
  data::PackedObjects::Objects objects;
  std::size_t text = 0;
  for (int i = 0; i < 300; ++i) {
    Json object{{"metadata", {{"name", util::cat("n", i)}, {"labels", {{"app", "shop"}}}}},
                {"spec", {{"number", i}, {"none", nullptr}, {"list", {1.5, "ä", false}}}}};
    text += object.dump().size();
    objects.push_back(std::make_shared<const Json>(std::move(object)));
  }
  const auto again = data::PackedObjects(objects).unpack();
  REQUIRE(again.size() == objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    CHECK(*again[i] == *objects[i]);
  }
  CHECK(data::PackedObjects({}).unpack().empty());
  CHECK(text > 20'000);
}

TEST_CASE("zip: bytes come back, what is like itself gets small, and what is cut is an error") {
  const std::string bytes(100'000, 'x');
  const std::string small = util::zipped(bytes);
  CHECK(small.size() < 1000);
  CHECK(util::unzipped(small, bytes.size()) == bytes);
  CHECK(util::unzipped(util::zipped(""), 0).empty());
  CHECK_THROWS_AS(util::unzipped(small.substr(0, small.size() / 2), bytes.size()),
                  std::runtime_error);
  CHECK_THROWS_AS(util::unzipped(small, bytes.size() - 1), std::runtime_error);
  CHECK_THROWS_AS(util::unzipped("nothing of zlib's", 5), std::runtime_error);
}
