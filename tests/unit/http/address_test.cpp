#include <doctest/doctest.h>

#include <kubist/http/address.hpp>

using namespace kubist::http;

TEST_CASE("address: link-local ones and those like them, however they are written") {
  for (const char* address :
       {"169.254.0.0", "169.254.169.254", "169.254.255.255", "fe80::1", "FEBF::1%eth0",
        "::ffff:169.254.1.1", "::ffff:a9fe:a9fe", "64:ff9b::169.254.169.254", "fd00:ec2::254",
        "fd00:0ec2:0::0254", "100.100.100.200", "::ffff:100.100.100.200", "168.63.129.16",
        "64:ff9b::168.63.129.16", "0.0.0.0", "::ffff:0.0.0.0", "::", "0::0"}) {
    CAPTURE(address);
    CHECK(is_link_local(address));
  }
  for (const char* address : {"169.253.1.1", "127.0.0.1", "10.0.0.1", "fec0::1", "fe7f::1", "::1",
                              "::ffff:10.0.0.1", "fd00::a9fe:a9fe", "169.254.example.com", "",
                              "fd00:ec2::253", "100.100.100.201", "168.63.129.17", "0.0.0.1"}) {
    CAPTURE(address);
    CHECK_FALSE(is_link_local(address));
  }
}

TEST_CASE("address: loopback, however it is written") {
  for (const char* address : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}) {
    CAPTURE(address);
    CHECK(is_loopback_address(address));
  }
  for (const char* address : {"128.0.0.1", "::2", "localhost", "127.example.com", ""}) {
    CAPTURE(address);
    CHECK_FALSE(is_loopback_address(address));
  }
}

TEST_CASE("address: a network has the addresses of its prefix") {
  struct Case {
    const char* network;
    const char* inside;
    const char* outside;
  };
  for (const Case& each : {Case{"10.96.0.0/12", "10.111.255.255", "10.112.0.0"},
                           {"10.96.7.7/16", "::ffff:10.96.0.1", "10.97.0.1"},
                           {"192.168.1.1/32", "192.168.1.1", "192.168.1.0"},
                           {"0.0.0.0/0", "8.8.8.8", "fd00::1"},
                           {"fd00:10::/108", "fd00:10::f:ffff", "fd00:10::10:0"},
                           {"fd00::/8", "fdff::1", "fe00::1"}}) {
    CAPTURE(each.network);
    const auto network = Network::parse(each.network);
    REQUIRE(network);
    CHECK(network->contains(each.inside));
    CHECK_FALSE(network->contains(each.outside));
    CHECK_FALSE(network->contains("name.test"));
  }
  for (const char* text : {"", "10.96.0.0", "10.96.0.0/33", "10.96.0.0/-1", "10.96.0.0/x", "/16",
                           "fd00::/129", "name/16"}) {
    CAPTURE(text);
    CHECK_FALSE(Network::parse(text));
  }
}
