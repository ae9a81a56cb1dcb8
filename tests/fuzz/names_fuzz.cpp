// Names and namespaces in paths of the API: what is sent is what was named, or nothing is.
#include <curl/curl.h>

#include <kubist/http/url.hpp>
#include <kubist/kube/api_resource.hpp>
#include <kubist/util/text.hpp>

#include "harness.hpp"
#include "path_guard.hpp"

using namespace kubist;

namespace {

// The path that libcurl sends, as curl_exchange.cpp tells it to.
std::string path_sent(const std::string& url) {
  CURLU* parsed = curl_url();
  char* path = nullptr;
  std::string sent;
  if (curl_url_set(parsed, CURLUPART_URL, url.c_str(), CURLU_PATH_AS_IS) == CURLUE_OK &&
      curl_url_get(parsed, CURLUPART_PATH, &path, 0) == CURLUE_OK) {
    sent = path;
  }
  curl_free(path);
  curl_url_cleanup(parsed);
  return sent;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = testing::text_of(bytes, size);
  const std::size_t cut = text.find('\n');
  const std::string_view ns = text.substr(0, cut);
  const std::string_view name = cut == text.npos ? "" : text.substr(cut + 1);
  const std::string path = kube::well_known::secrets().path(ns, name);
  http::Request request;
  request.url = "https://host:6443" + path;
  const bool passes = kube::check_path(request).has_value();
  const bool named = kube::check_name("namespace", ns) && kube::check_name("resource name", name);
  // Without a namespace the path is of a cluster-scoped object: still the one that is named.
  const bool bare = ns.empty() && kube::check_name("resource name", name);
  testing::require(passes == (named || bare), "the guard lets pass what names one object");
  testing::require(util::percent_decode(util::percent_encode(name)) == name, "a name reads back");
  if (!passes) {
    return 0;
  }
  const std::string sent = path_sent(request.url);
  testing::require(sent == path, "libcurl sends the path as it is");
  const auto parts = util::split(sent, '/');
  testing::require(util::percent_decode(parts.back()) == name, "its end is the name");
  testing::require(parts.size() == (ns.empty() ? 5U : 7U), "and nothing else is in it");
  return 0;
}
