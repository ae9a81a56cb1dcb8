#include <doctest/doctest.h>

#include <kubist/http/address.hpp>
#include <kubist/http/url.hpp>

using namespace kubist::http;

TEST_CASE("url: parts, defaults and the way back") {
  const auto url = parse_url("HTTPS://user:pw@[fd00::1]:6443/base/path?a=b#frag");
  REQUIRE(url);
  CHECK(url->scheme == "https");
  CHECK(url->userinfo == "user:pw");
  CHECK(url->host == "fd00::1");
  CHECK(url->port == 6443);
  CHECK(url->path == "/base/path");
  CHECK(url->query == "a=b");
  CHECK(to_string(*url) == "https://user:pw@[fd00::1]:6443/base/path?a=b");
  CHECK(to_string(*parse_url("http://host:80")) == "http://host/");
  CHECK(parse_url("https://host?x=1")->path == "/");
}

TEST_CASE("url: what is no http URL is an error that hides the user info") {
  for (const char* text :
       {"host:443", "ftp://host/", "https://", "https://h:99999/", "https://[::1/", "http://[[]:8/",
        "http://[name]/", "http://a b/", "http://a\nb/", "http://a]/"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_url(text));
  }
  for (const char* text : {"https://me:secret@host:port/", "https:/me:secret@host/",
                           "me:secret@host", "https://me:x/secret@host/"}) {
    CAPTURE(text);
    const auto bad = parse_url(text);
    REQUIRE_FALSE(bad);
    CHECK(bad.error().message.find("secret") == std::string::npos);
  }
}

TEST_CASE("url: redacted drops user info only") {
  CHECK(redacted("https://me:secret@host/a@b") == "https://***@host/a@b");
  CHECK(redacted("https://host/a@b?c=@") == "https://host/a@b?c=@");
}

TEST_CASE("address: what is internal, and what the resolver makes of a host") {
  for (const char* address :
       {"127.0.0.1", "0.0.0.0", "10.255.0.1", "100.64.0.1", "172.31.255.255", "192.168.1.1",
        "169.254.0.1", "168.63.129.16", "::1", "::", "fd00:ec2::254", "fe80::1%lo",
        "::ffff:10.0.0.1", "64:ff9b::7f00:1"}) {
    CAPTURE(address);
    CHECK(is_internal(address));
  }
  for (const char* address : {"11.0.0.1", "100.128.0.1", "172.32.0.1", "192.0.2.1", "168.63.129.17",
                              "2001:db8::1", "::2", "localhost", ""}) {
    CAPTURE(address);
    CHECK_FALSE(is_internal(address));
  }
  CHECK(addresses_of("127.1") == std::vector<std::string>{"127.0.0.1"});
  CHECK(addresses_of("no such name").empty());
}

TEST_CASE("url: loopback hosts and query strings") {
  CHECK(is_loopback("localhost"));
  CHECK(is_loopback("127.0.0.2"));
  CHECK(is_loopback("::1"));
  CHECK_FALSE(is_loopback("10.77.0.2"));
  CHECK(make_query({{"labelSelector", "a=b,c"}, {"continue", ""}, {"limit", "5"}}) ==
        "labelSelector=a%3Db%2Cc&limit=5");
}
