#include <fstream>

#include <doctest/doctest.h>

#include <kubist/istio/versions.hpp>
#include <kubist/util/fs.hpp>

using namespace kubist::istio;

TEST_CASE("versions: releases are read, other numbers are not") {
  CHECK(parse_version("1.30.3") == kubist::util::Version{1, 30, 3});
  CHECK(parse_version("v1.30.3-rc.0") == kubist::util::Version{1, 30, 3});
  CHECK(parse_version("1.31.0-alpha.abc+meta") == kubist::util::Version{1, 31, 0});
  for (const char* text :
       {"", "1", "1.30", "1.30.3x", "1.30.3.1", "latest", "-1.2.3", "1..3", "1.99999999999.0"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_version(text));
  }
}

TEST_CASE("versions: an image's tag tells the version, a digest does not") {
  CHECK(version_of_image("docker.io/istio/pilot:1.30.3") == "1.30.3");
  CHECK(version_of_image("registry:5000/pilot:1.30.3-distroless") == "1.30.3");
  CHECK(version_of_image("pilot:v1.31.0-rc.0-debug") == "1.31.0-rc.0");
  for (const char* image : {"", "pilot", "registry:5000/pilot", "pilot:latest",
                            "pilot:1.30.3-2-custom@sha256:ab", "pilot@sha256:0123"}) {
    CAPTURE(image);
    CHECK(version_of_image(image).empty());
  }
}

TEST_CASE("versions: a file replaces releases of the built-in table") {
  const kubist::util::TempDir folder("istio-versions");
  const auto write = [&](const char* text) {
    const auto path = folder.path() / "support.yaml";
    std::ofstream(path) << text;
    return path;
  };
  const auto table =
      read_support(write("asOf: \"2027-03-01\"\nreleases:\n"
                         "- {version: \"1.31\", endOfLife: \"2027-02-28\", kubernetes: {min: 32, "
                         "max: 36}, newest: 1.31.4}\n"
                         "- {version: \"1.32\"}\n"));
  REQUIRE_MESSAGE(table, table.error().to_string());
  CHECK(table->as_of == "2027-03-01");
  REQUIRE(table->find(31) != nullptr);
  CHECK(table->find(31)->newest == "1.31.4");
  CHECK(table->find(32)->end_of_life.empty());
  CHECK(table->find(30)->newest == built_in_support().find(30)->newest);

  for (const auto& [text, part] :
       {std::pair{"releases: {}\n", "not a table"},
        std::pair{"releases:\n- {version: \"1.x\"}\n", ":2:"},
        std::pair{"releases:\n- {version: \"1.31\", endOfLife: soon}\n", "endOfLife"},
        std::pair{"releases:\n- {version: \"1.31\", newest: 1.30.1}\n", "newest"},
        std::pair{"releases:\n- nothing\n", "version"}, std::pair{"a: [\n", ":"}}) {
    CAPTURE(text);
    const auto wrong = read_support(write(text));
    REQUIRE_FALSE(wrong);
    CHECK_MESSAGE(wrong.error().to_string().find(part) != std::string::npos,
                  wrong.error().to_string());
  }
}
