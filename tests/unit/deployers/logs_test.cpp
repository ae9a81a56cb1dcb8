#include <doctest/doctest.h>

#include <kubist/deployers/logs.hpp>
#include <kubist/util/base64.hpp>

#include "item/log_store.hpp"
#include "support/fake_cluster.hpp"

using namespace kubist;
using namespace kubist::deployers;

TEST_CASE("logs: known values of six bytes or more are replaced, in base64 too") {
  Redactor redactor;
  redactor.add_all({{"password", "s3cr3t-value"},
                    {"pin", 12345678},
                    {"short", "abc"},
                    {"pem", "line one\nline two"}});
  const std::string log = redactor.redact(
      "password=s3cr3t-value pin=12345678 short=abc\n" + util::base64_encode("s3cr3t-value") + " " +
      util::base64_encode("s3cr3t-value\n") +
      "\n{\"pem\":\"line one\\nline two\"}\nline one\nline two\n");
  CHECK(log == "password=*** pin=*** short=abc\n*** ***\n{\"pem\":\"***\"}\n***\n");
}

TEST_CASE("logs: a value that contains another one goes as a whole") {
  Redactor key;
  key.add("-----BEGIN KEY-----\nMIIBVQIBADANBg\n-----END KEY-----\n");
  CHECK(key.redact("got MIIBVQIBADANBg") == "got ***");  // as a log followed line by line has it

  Redactor redactor;
  redactor.add("secret");
  redactor.add("secret-longer");
  CHECK(redactor.redact("secret-longer secret") == "*** ***");
}

TEST_CASE("logs: more values than can be looked for leave the text out") {
  Redactor redactor;
  for (int i = 100'000; i < 180'000; ++i) {
    redactor.add("secret-" + std::to_string(i));
  }
  CHECK(redactor.redact("a secret-142857 b") == "a *** b");
  const std::string text = redactor.redact(std::string(100'000, 'x') + "secret-142857");
  CHECK(text.starts_with("(left out: "));
  CHECK(text.size() < 100);
}

TEST_CASE("logs: tails are whole lines") {
  CHECK(tail_of("a\nb\nc\n", 100, 2) == "b\nc\n");
  CHECK(tail_of("a\nb\nc", 100, 2) == "b\nc");
  CHECK(tail_of("a\nb\nc\n", 100, 9) == "a\nb\nc\n");
  CHECK(tail_of("aaaa\nbb\ncc\n", 5, 9) == "cc\n");
  CHECK(tail_of("", 10, 2).empty());
}

TEST_CASE("logs: the newest three runs are kept, each once") {
  Json secret;
  for (const char* job : {"one", "two", "two", "three", "four"}) {
    secret = {{"data", log_secret_data(secret, {job, "time", std::string("log of ") + job})}};
  }
  const auto text = [&](const char* key) {
    return util::base64_decode(secret["data"][key].get<std::string>()).value();
  };
  CHECK(text("log-0") == "log of four");
  CHECK(text("log-1") == "log of three");
  CHECK(text("log-2") == "log of two");
  CHECK_FALSE(secret["data"].contains("log-3"));
}

TEST_CASE("logs: a status leads to no pod but the item's own") {
  testing::FakeCluster cluster{"home"};
  Json item = cluster.put({{"apiVersion", "landscaper.gardener.cloud/v1alpha1"},
                           {"kind", "DeployItem"},
                           {"metadata", {{"name", "x"}, {"namespace", "default"}}},
                           {"spec", {{"type", "kubist.io/container"}}}});
  const Json pod{{"apiVersion", "v1"},
                 {"kind", "Pod"},
                 {"metadata", {{"name", "theirs"}, {"namespace", "kube-system"}}},
                 {"spec", {{"containers", Json::array({{{"name", "c"}, {"image", "x"}}})}}},
                 {"status",
                  {{"containerStatuses",
                    Json::array({{{"name", "c"}, {"state", {{"running", Json::object()}}}}})}}}};
  cluster.plant(pod);
  item["status"] = {{"jobID", "1"},
                    {"providerStatus", {{"podNamespace", "kube-system"}, {"pod", "theirs"}}}};
  cluster.plant(item);
  LogRequest request;
  request.ns = "default";
  request.item = "x";
  const auto read =
      read_item_log(cluster.connect(), request, [](std::string_view) { return true; }, {});
  REQUIRE_FALSE(read);
  CHECK(read.error().message == "DeployItem x has no log yet");
  for (const testing::LoggedRequest& each : cluster.log()) {
    CHECK_MESSAGE(each.subresource != "log", each.to_string());
  }
}
