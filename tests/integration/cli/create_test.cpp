// `create configmap|secret|token` and `auth whoami` do and say what kubectl's do; no secret leaves.
#include <doctest/doctest.h>

#include <kubist/data/json.hpp>

#include "twins.hpp"

using namespace kubist;
using namespace kubist::testing;
using data::Json;

namespace {

void make_files(const Twins& twins) {
  twins.write("a.txt", "hello\nworld");
  twins.write("b.bin", std::string("\0\xff\x01 bin", 7));
  twins.write("env", "\xEF\xBB\xBFx=1\n# no\n\n  y=a b=c\r\nKUBIST_TEST_UNSET\n");
  twins.write("bad-env", "1x=1\n");
  twins.write("d/one", "1\n");
  twins.write("d/two", "2\n");
  twins.write("d/e/three", "3\n");
  twins.write("config.json", R"({"auths":{"x.io":{"auth":"dTpw"}}})");
  for (const char* name : {"web", "other"}) {
    const auto made = util::run_command(
        {.args = {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                  "-nodes", "-subj", "/CN=web", "-keyout", twins.file(std::string(name) + ".key"),
                  "-out", twins.file(std::string(name) + ".crt")},
         .timeout = std::chrono::minutes(4)});
    REQUIRE((made && made->exit_code == 0));
  }
}

/// In their order: what one makes is there for those behind it.
const std::vector<Words> k_making{
    {"create", "configmap", "a", "--from-literal=a=b=c", "--from-literal=q='x y'",
     "--from-file=FOLDER/a.txt", "--dry-run=client", "-o", "yaml"},
    {"create", "cm", "a", "--from-file=k=FOLDER/b.bin,FOLDER/a.txt", "--from-file=FOLDER/d",
     "--dry-run=client", "-o", "yaml"},
    {"create", "cm", "a", "--from-env-file=FOLDER/env", "--dry-run=client", "-o", "yaml"},
    {"create", "cm", "a", "--dry-run=server"},
    {"create", "cm", "a", "--dry-run=client"},
    {"create", "cm", "a", "--from-file=FOLDER/d"},
    {"create", "cm", "a"},
    {"create", "cm", "b", "--from-file=FOLDER/b.bin", "-o", "name"},
    {"create", "cm"},
    {"create", "cm", "x", "y"},
    {"create", "cm", "x", "--from-literal=ab"},
    {"create", "cm", "x", "--from-literal==ab"},
    {"create", "cm", "x", "--from-literal=a=1", "--from-literal=a=2"},
    {"create", "cm", "x", "--from-literal=a b=1"},
    {"create", "cm", "x", "--from-literal=..=1"},
    {"create", "cm", "x", "--from-file=FOLDER/nosuch"},
    {"create", "cm", "x", "--from-file=k=FOLDER/d"},
    {"create", "cm", "x", "--from-file=k="},
    {"create", "cm", "x", "--from-env-file=FOLDER/bad-env"},
    {"create", "cm", "x", "--from-env-file=FOLDER/env", "--from-literal=a=b"},
    {"create", "cm", "Bad_Name"},
    {"create", "secret", "generic", "g", "--from-literal=a=b", "--from-file=FOLDER/b.bin",
     "--dry-run=client", "-o", "yaml"},
    {"create", "secret", "generic", "g", "--from-literal=a=b", "--type=example.com/t"},
    {"create", "secret", "generic", "h", "--from-env-file=FOLDER/env"},
    {"create", "secret", "generic", "h"},
    {"create", "secret", "docker-registry", "r", "--docker-username=u", "--docker-password=p\"<w",
     "--docker-email=e@x", "--dry-run=client", "-o", "yaml"},
    {"create", "secret", "docker-registry", "r", "--docker-username=u", "--docker-password=p",
     "--docker-server=x.io"},
    {"create", "secret", "docker-registry", "f", "--from-file=FOLDER/config.json"},
    {"create", "secret", "docker-registry", "x", "--from-file=FOLDER/a.txt"},
    {"create", "secret", "docker-registry", "x", "--docker-username=u"},
    {"create", "secret", "tls", "t", "--cert=FOLDER/web.crt", "--key=FOLDER/web.key"},
    {"create", "secret", "tls", "x", "--cert=FOLDER/web.crt", "--key=FOLDER/other.key"},
    {"create", "secret", "tls", "x", "--cert=FOLDER/a.txt", "--key=FOLDER/web.key"},
    {"create", "secret", "tls", "x", "--cert=FOLDER/web.crt"},
    {"create", "secret", "nosuch", "x"},
    {"create", "token", "nosuch"},
    {"create", "token", "default", "--duration=1s"},
    {"create", "token", "default", "--duration=-1s"},
    {"create", "token", "default", "--bound-object-kind=Pod"},
    {"create", "token", "default", "--bound-object-kind=Foo", "--bound-object-name=x"},
    {"create", "token", "default", "--bound-object-name=x"},
    {"create", "token", "a", "b"},
    {"auth", "whoami"},
    {"auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"},
    {"auth", "whoami", "--as=jane", "--as-group=g1", "--as-group=g2", "--as-uid=u-1"},
};

}  // namespace

TEST_CASE("create: what it says and makes is what kubectl says and makes") {
  const Twins twins("create");
  make_files(twins);
  for (const Words& words : k_making) {
    twins.check_same(words);
  }
  twins.check_equal({"get", "cm,secret", "-o",
                     "jsonpath={range .items[*]}{.kind} {.metadata.name} {.type} {.data} "
                     "{.binaryData}{\"\\n\"}{end}"});
}

TEST_CASE("create: a token is the account's, bound and limited as asked for") {
  const Twins twins("create");
  twins.make({"create", "secret", "generic", "s"});
  const Words words{"create",
                    "token",
                    "default",
                    "--duration=20m",
                    "--audience=x",
                    "--audience=y",
                    "--bound-object-kind=Secret",
                    "--bound-object-name=s",
                    "-o",
                    "json"};
  const Json theirs = Json::parse(twins.ask("kubectl", words).out);
  const Json ours = Json::parse(twins.ask("kubist", words).out);
  CHECK(ours["spec"]["audiences"] == theirs["spec"]["audiences"]);
  CHECK(ours["spec"]["expirationSeconds"] == theirs["spec"]["expirationSeconds"]);
  CHECK(ours["spec"]["boundObjectRef"]["name"] == "s");
  const Ran plain = twins.ask("kubist", {"create", "token", "default"});
  REQUIRE_MESSAGE(plain.code == 0, plain.err);
  const std::string token(util::trim(plain.out));
  const Json review{{"apiVersion", "authentication.k8s.io/v1"},
                    {"kind", "TokenReview"},
                    {"spec", {{"token", token}}}};
  twins.write("review.json", review.dump());
  const Ran known = kubectl({"create", "--raw", "/apis/authentication.k8s.io/v1/tokenreviews", "-f",
                             twins.file("review.json")});
  REQUIRE_MESSAGE(known.code == 0, known.err);
  CHECK(Json::parse(known.out)["status"]["user"]["username"] ==
        "system:serviceaccount:" + twins.ns("kubist") + ":default");
}

TEST_CASE("create: no value of a Secret reaches a trace or an error") {
  const Twins twins("create");
  const std::string secret = "correct-horse-battery";
  twins.write("pw", secret);
  twins.write("lines", "1bad " + secret + "\n");
  twins.write("not-json", secret);
  for (const Words& words : std::vector<Words>{
           {"create", "secret", "generic", "a", "--from-literal=p=" + secret, "-v", "9"},
           {"create", "secret", "generic", "a", "--from-literal=p=" + secret, "-v", "9"},
           {"create", "secret", "generic", "x", "--from-literal=" + secret},
           {"create", "secret", "generic", "x", "--from-env-file=FOLDER/lines"},
           {"create", "secret", "docker-registry", "x", "--from-file=FOLDER/not-json", "-v", "9"},
           {"create", "secret", "docker-registry", "r", "--docker-username=u",
            "--docker-password=" + secret, "-v", "9"},
           {"create", "secret", "tls", "x", "--cert=FOLDER/pw", "--key=FOLDER/pw"}}) {
    CAPTURE(util::join(words, " "));
    const Ran ran = twins.ask("kubist", words);
    CHECK(!ran.err.empty());
    CHECK((ran.out + ran.err).find(secret) == std::string::npos);
    CHECK((ran.out + ran.err).find("Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5") == std::string::npos);
  }
  CHECK(twins.ask("kubectl", {"get", "secret", "a"}).code != 0);
  const Ran token = twins.ask("kubist", {"create", "token", "default", "-v", "9"});
  REQUIRE(token.code == 0);
  CHECK(token.err.find("/token") != std::string::npos);
  CHECK(token.err.find(util::trim(token.out)) == std::string::npos);
}

TEST_CASE("create: a dry run of the server's in a namespace that is not there fails") {
  const Ran ran = run_kubist(
      {"create", "configmap", "a", "-n", "create-no-such-namespace", "--dry-run=server"});
  CHECK(ran.code == 1);
  CHECK(ran.out.empty());
  CHECK(ran.err.find("create-no-such-namespace") != std::string::npos);
}
