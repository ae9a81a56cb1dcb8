#include <doctest/doctest.h>

#include <kubist/deployers/world.hpp>

#include "support/variable.hpp"

using namespace kubist;
using namespace kubist::deployers;
using kubist::testing::Variable;

TEST_CASE("images: the environment's go before the Root's, then a controller's and the build's") {
  const Variable no_agent("KUBIST_AGENT_IMAGE", "");
  const Variable no_script("KUBIST_SCRIPT_IMAGE", "");
  const data::Json root{{"spec", {{"images", {{"agent", "r/kubist:1"}, {"script", "r/shell:1"}}}}}};
  const data::Json bare{{"spec", {{"settings", {{"team", "a"}}}}}};
  CHECK(agent_image(&root) == "r/kubist:1");
  CHECK(script_image(&root) == "r/shell:1");
  CHECK(agent_image(&bare) == agent_image());
  CHECK(script_image(&bare) == "docker.io/library/busybox:stable");
  CHECK(script_image() == "docker.io/library/busybox:stable");
  {
    const Variable own("KUBIST_IMAGE", "c/kubist:1");
    CHECK(agent_image(&root) == "r/kubist:1");
    CHECK(agent_image(&bare) == "c/kubist:1");
  }
  const Variable agent("KUBIST_AGENT_IMAGE", "e/kubist:1");
  CHECK(agent_image(&root) == "e/kubist:1");
  CHECK(script_image(&root) == "r/shell:1");
  CHECK(agent_image() == "e/kubist:1");
}

TEST_CASE("images: who names none is told how to make, push and name one") {
  const util::Error error = no_agent_image();
  CHECK(error.reason == "NoAgentImage");
  for (const char* word :
       {"packaging/image build/release/cli/kubist kubist.tar",
        "skopeo copy oci-archive:kubist.tar docker://REGISTRY/kubist:v",
        "kubist init --agent-image REGISTRY/kubist:v", "spec.images.agent of the Root"}) {
    CHECK_MESSAGE(error.hint.find(word) != std::string::npos, error.hint);
  }
}
