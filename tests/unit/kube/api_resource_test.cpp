#include <doctest/doctest.h>

#include <kubist/kube/api_resource.hpp>
#include <kubist/kube/client.hpp>
#include <kubist/kube/watch.hpp>

using namespace kubist::kube;

TEST_CASE("api resource: paths of objects, subresources and collections") {
  CHECK(well_known::config_maps().path("x", "a.b") == "/api/v1/namespaces/x/configmaps/a.b");
  CHECK(well_known::deployments().path("x", "web", "scale") ==
        "/apis/apps/v1/namespaces/x/deployments/web/scale");
  CHECK(well_known::namespaces().path("ignored", "x") == "/api/v1/namespaces/x");
  CHECK(well_known::pods().collection_path("") == "/api/v1/pods");
  CHECK(well_known::deployments().group_resource() == "deployments.apps");
  CHECK(well_known::deployments().api_version() == "apps/v1");
}
