#include "../../../lib/apply/src/field_path.hpp"

#include <doctest/doctest.h>

using namespace kubist;
using data::Json;

TEST_CASE("field path: a conflict's path leads to the value and its pointer") {
  const Json object = Json::parse(R"({
    "data": {"a": 1, "a.b": 2},
    "metadata": {"annotations": {"example.com/x.y": "v"}},
    "spec": {"l": [{"name": "a", "port": 1}, {"name": "b]", "port": 2, "v": 3}], "s": ["x", "y"]}})");
  const auto at = [&](const char* path) { return apply::find_field(object, path); };
  CHECK(*at(".data.a").value == 1);
  CHECK(*at(".data.a.b").value == 2);
  CHECK(at(".data.a.b").pointer == "/data/a.b");
  CHECK(*at(".metadata.annotations.example.com/x.y").value == "v");
  CHECK(*at(".spec.l[name=\"b]\",port=2].v").value == 3);
  CHECK(at(".spec.l[name=\"b]\",port=2].v").pointer == "/spec/l/1/v");
  CHECK(*at(".spec.s[=\"y\"]").value == "y");
  CHECK(*at(".spec.s[0]").value == "x");
  CHECK(at(".spec.l[name=\"c\"].v").value == nullptr);
  CHECK(at(".spec.gone.v").pointer == "/spec");
}
