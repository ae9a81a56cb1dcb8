#include <fstream>
#include <sstream>

#include <kubist/resources/manifest.hpp>

#include "support.hpp"

using namespace kubist;
using namespace kubist::resources;

namespace {

std::string first_error(std::string_view text) {
  auto set = read_manifest_text(text, "f.yaml");
  REQUIRE(set.errors.size() == 1);
  return set.errors[0].to_string();
}

void write(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

std::string config_map(std::string_view name) {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + std::string(name) + "}\n";
}

}  // namespace

TEST_CASE("manifest: documents with their positions") {
  auto set = read_manifest_text(
      "# first\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n---\napiVersion: v1\n"
      "kind: Secret\nmetadata:\n  name: b\ndata:\n  k: eA==\n",
      "f.yaml");
  CHECK(set.errors.empty());
  REQUIRE(set.manifests.size() == 2);
  CHECK(set.manifests[0].pos == util::SourcePos{"f.yaml", 2, 1});
  CHECK(set.manifests[1].pos == util::SourcePos{"f.yaml", 7, 1});
  CHECK(set.manifests[1].position("/data/k") == util::SourcePos{"f.yaml", 12, 6});
  CHECK(set.manifests[1].position("/data/k", data::At::key) == util::SourcePos{"f.yaml", 12, 3});
}

TEST_CASE("manifest: lists are flattened and keep positions") {
  auto set = read_manifest_text(
      "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n"
      "    name: a\n- apiVersion: v1\n  kind: ConfigMapList\n  items:\n  - metadata:\n"
      "      name: b\n",
      "f.yaml");
  CHECK(set.errors.empty());
  REQUIRE(set.manifests.size() == 2);
  CHECK(set.manifests[0].pos.line == 4);
  CHECK(set.manifests[0].position("/metadata/name") == util::SourcePos{"f.yaml", 7, 11});
  CHECK(set.manifests[1].object["kind"] == "ConfigMap");
  CHECK(set.manifests[1].position("/metadata/name").line == 12);
}

TEST_CASE("manifest: what is missing is said with its place") {
  CHECK(first_error("kind: ConfigMap\nmetadata: {name: a}\n")
            .find("f.yaml:1:1: the object has no apiVersion") == 0);
  CHECK(first_error("apiVersion: v1\nmetadata: {name: a}\n").find("the object has no kind") !=
        std::string::npos);
  CHECK(first_error("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels: {}\n")
            .find("f.yaml:4:3: ConfigMap has no metadata.name") == 0);
  CHECK(first_error("apiVersion: config.landscaper.gardener.cloud/v1alpha1\n"
                    "kind: LandscaperConfiguration\ncrdManagement: {}\n")
            .find("f.yaml:1:1: LandscaperConfiguration configures a controller of landscaper") ==
        0);
  CHECK(first_error("apiVersion: landscaper.gardener.cloud/v1alpha1\nkind: DeployItem\n")
            .find("DeployItem has no metadata.name") != std::string::npos);
  CHECK(first_error("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: 5\n")
            .find("metadata.name must be a text, got a number") != std::string::npos);
  CHECK(first_error("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: A_b\n")
            .find("f.yaml:4:9: the name \"A_b\" must consist of lower case") == 0);
  CHECK(first_error("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: x.y}\n")
            .find("metadata.namespace must") != std::string::npos);
  CHECK(first_error("- a\n- b\n").find("expected a Kubernetes object, got a list") !=
        std::string::npos);
  CHECK(first_error("a: [\n").find("f.yaml:") == 0);
}

TEST_CASE("manifest: generateName is for create, which kubist has not") {
  const std::string text = "apiVersion: v1\nkind: Pod\nmetadata:\n  generateName: a-\n";
  CHECK(first_error(text).find("generateName works with create only") != std::string::npos);
}

TEST_CASE("manifest: repeated keys are an error in kubist's objects alone") {
  std::string body = "kind: Cluster\nmetadata: {name: a}\nspec:\n  home: true\n  home: false\n";
  CHECK(first_error("apiVersion: kubist.io/v1alpha1\n" + body)
            .find("f.yaml:6:3: duplicate key \"home\"") == 0);
  CHECK(read_manifest_text("apiVersion: example.com/v1\n" + body, "f").errors.empty());
}

TEST_CASE("manifest: folders in name order, by extension, -R") {
  util::TempDir folder;
  write(folder.path() / "b.yaml", config_map("b"));
  write(folder.path() / "a.yml", config_map("a"));
  write(folder.path() / "c.json",
        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}})");
  write(folder.path() / "note.txt", "not: [yaml");
  write(folder.path() / "sub/d.yaml", config_map("d"));
  auto names = [](const ManifestSet& set) {
    std::string all;
    for (const Manifest& manifest : set.manifests) {
      all += manifest.object["metadata"]["name"].get<std::string>();
    }
    return all;
  };
  CHECK(names(read_manifests({folder.path().string()}, {})) == "abc");
  ManifestOptions recursive;
  recursive.recursive = true;
  CHECK(names(read_manifests({folder.path().string()}, recursive)) == "abcd");
  auto empty = read_manifests({(folder.path() / "sub").string(), "/nonexistent/x.yaml"}, {});
  CHECK(names(empty) == "d");
  REQUIRE(empty.errors.size() == 1);
  CHECK(empty.errors[0].kind == util::ErrorKind::not_found);
}

TEST_CASE("manifest: stdin, URLs, and every file's errors at once") {
  std::istringstream in(config_map("in"));
  ManifestOptions options;
  options.standard_input = &in;
  options.fetch = [](const std::string& url) -> util::Result<std::string> {
    if (url.ends_with("bad")) {
      return util::fail(util::ErrorKind::unavailable, "GET " + url + ": 503");
    }
    return config_map("fetched");
  };
  auto set = read_manifests(
      {"-", "https://example.com/good", "https://example.com/bad", "/nonexistent.yaml"}, options);
  REQUIRE(set.manifests.size() == 2);
  CHECK(set.manifests[0].pos.origin == "stdin");
  CHECK(set.manifests[1].pos.origin == "https://example.com/good");
  CHECK(set.errors.size() == 2);
  CHECK(read_manifests({"http://example.com"}, {}).errors.size() == 1);
}

TEST_CASE("manifest: a namespace of a cluster-scoped kind of kubist's is ignored, with a warning") {
  const auto set = read_manifest_text(
      "apiVersion: kubist.io/v1alpha1\nkind: Project\nmetadata:\n  name: shop\n  namespace: shop\n"
      "---\napiVersion: kubist.io/v1alpha1\nkind: Cluster\nmetadata: {name: a, namespace: shop}\n",
      "f.yaml");
  REQUIRE(set.manifests.size() == 2);
  CHECK(ObjectView(set.manifests[0].object).ns().empty());
  CHECK(ObjectView(set.manifests[1].object).ns() == "shop");
  REQUIRE(set.warnings.size() == 1);
  CHECK(set.warnings[0] ==
        "f.yaml:5:14: metadata.namespace of Project/shop is ignored: a Project is cluster-scoped");
}
