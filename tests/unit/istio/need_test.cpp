#include <doctest/doctest.h>

#include <kubist/istio/need.hpp>

#include "evidence_support.hpp"

using namespace istio_test;

namespace {

const Scope k_default{"", "default"};

Installed installed(const std::string& version, const std::string& sha256 = "") {
  return {version, sha256};
}

}  // namespace

TEST_CASE("why install: nothing is there, or something is missing") {
  CHECK(why_install(judge(empty_cluster(), k_default), {}, {}));
  Evidence crds = empty_cluster();
  crds.crds = all_crds();
  crds.api_served = true;
  CHECK(why_install(judge(crds, k_default), {}, {}));
  Evidence partial = healthy_cluster();
  partial.injectors->clear();
  CHECK(judge(partial, k_default).verdict == Verdict::partial);
  CHECK(why_install(judge(partial, k_default), installed("1.30.3"), {}));
  // Another revision is none of this one's.
  Evidence other = empty_cluster();
  other.crds = all_crds();
  other.api_served = true;
  add_revision(other, "canary", "1.30.3");
  CHECK(why_install(judge(other, k_default), {}, {}));
  CHECK_FALSE(why_install(judge(other, {"", "canary"}), {}, {"1.30.3", ""}));
}

TEST_CASE("why install: another version, other manifests, or one that did not end") {
  Evidence evidence = healthy_cluster();
  const Report report = judge(evidence, k_default);
  CHECK_FALSE(why_install(report, {}, {"1.30.3", ""}));
  CHECK_FALSE(why_install(report, {}, {"v1.30.3", ""}));
  CHECK(why_install(report, {}, {"1.31.0", ""}) == "Istio 1.30.3 is there, 1.31.0 is wanted");
  CHECK(why_install(report, {}, {"1.29.0", ""}));
  CHECK_FALSE(why_install(report, installed("1.30.3", "aa"), {"1.30.3", "AA"}));
  CHECK(why_install(report, installed("1.30.3", "bb"), {"1.30.3", "aa"}));

  evidence.control_planes->front().installer = "kubist";
  CHECK(why_install(judge(evidence, k_default), {}, {"1.30.3", ""}));
  CHECK_FALSE(why_install(judge(evidence, k_default), installed("1.30.3"), {"1.30.3", ""}));

  evidence.control_planes->front().image_version = "";
  const Report digest = judge(evidence, k_default);
  CHECK_FALSE(why_install(digest, installed("1.30.3"), {"1.30.3", ""}));
  CHECK(why_install(digest, installed("1.30.3"), {"1.31.0", ""}));
}

TEST_CASE("why install: not where it is unknown, elsewhere, or broken by something else") {
  Evidence unknown = empty_cluster();
  unknown.crds = tl::unexpected(Unread{"crds", "forbidden:crds", "403"});
  CHECK_FALSE(why_install(judge(unknown, k_default), {}, {"1.31.0", ""}));
  Evidence remote = healthy_cluster();
  remote.control_planes->clear();
  remote.services->front().external_name = "istiod.example.com";
  CHECK(judge(remote, k_default).verdict == Verdict::remote);
  CHECK_FALSE(why_install(judge(remote, k_default), {}, {"1.31.0", ""}));
  Evidence scaled = healthy_cluster();
  scaled.control_planes->front().ready = scaled.control_planes->front().wanted = 0;
  CHECK(judge(scaled, k_default).verdict == Verdict::unhealthy);
  CHECK_FALSE(why_install(judge(scaled, k_default), installed("1.30.3"), {"1.30.3", ""}));
  scaled.control_planes->front().installer = "kubist";  // then it is kubist's to mend
  CHECK(why_install(judge(scaled, k_default), installed("1.30.3"), {"1.30.3", ""}) ==
        "istiod is scaled to 0");
}
