// How errors are told: kubectl's words for what a server answered, "error: " for all else.
#include "error_text.hpp"

#include <doctest/doctest.h>

#include <kubist/kube/api_error.hpp>

using namespace kubist;
using cli::error_text;

namespace {

util::Error answered(int status, const std::string& body) {
  http::Response response;
  response.status = status;
  response.body = body;
  return kube::api_error("GET", "https://x/api/v1/pods/a", response);
}

}  // namespace

TEST_CASE("error text: a server's answer is told by its reason and its words, without the URL") {
  const util::Error missing = answered(
      404, R"({"kind":"Status","reason":"NotFound","message":"pods \"a\" not found","code":404})");
  CHECK(error_text(missing) == "Error from server (NotFound): pods \"a\" not found");
  CHECK(error_text(missing, "f.yaml:1:1: pod/a: ") ==
        "Error from server (NotFound): f.yaml:1:1: pod/a: pods \"a\" not found");
  CHECK(error_text(util::with_context(missing, "the pod")) ==
        "Error from server (NotFound): the pod: pods \"a\" not found");
  CHECK(missing.message == "GET https://x/api/v1/pods/a: pods \"a\" not found");
}

TEST_CASE("error text: where something else answered, it is told what was asked") {
  CHECK(error_text(answered(404, "404 page not found")) ==
        "Error from server (NotFound): GET https://x/api/v1/pods/a: the server answered 404: 404 "
        "page not found");
  CHECK(error_text(answered(503, "<html>"))
            .starts_with("Error from server (ServiceUnavailable): GET https://x/api/v1/pods/a: the "
                         "server answered "));
}

TEST_CASE("error text: all other errors, with place, hint and details") {
  CHECK(error_text(util::make_error(util::ErrorKind::usage, "no", "Say yes.")) ==
        "error: no\n  Say yes.");
  util::Error several = util::make_error(util::ErrorKind::invalid, "2 errors in the input");
  several.details = {
      util::make_error(util::ErrorKind::invalid, util::SourcePos{"f.yaml", 2, 1}, "odd"),
      kube::no_object(kube::well_known::config_maps(), "a")};
  CHECK(error_text(several) ==
        "error: 2 errors in the input\nf.yaml:2:1: odd\n"
        "Error from server (NotFound): configmaps \"a\" not found");
}
