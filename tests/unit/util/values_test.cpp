#include <doctest/doctest.h>

#include <kubist/util/backoff.hpp>
#include <kubist/util/base64.hpp>
#include <kubist/util/duration.hpp>
#include <kubist/util/quantity.hpp>
#include <kubist/util/random.hpp>
#include <kubist/util/sha256.hpp>

using namespace kubist::util;
using namespace std::chrono_literals;

TEST_CASE("base64: round trips and refuses what is not base64") {
  for (const std::string text : {"", "f", "fo", "foo", "foob", "fooba", "foobar"}) {
    CHECK(base64_decode(base64_encode(text)) == text);
  }
  CHECK(base64_encode("fooba") == "Zm9vYmE=");
  CHECK(base64url_encode("\xFF\xEF") == "_-8");
  CHECK(base64_decode("Zm9v\nYmE=\n") == "fooba");
  CHECK_FALSE(base64_decode("Zm9vYmE"));
  CHECK_FALSE(base64_decode("Zm9*"));
  CHECK_FALSE(base64_decode("Z==="));
}

TEST_CASE("sha256: FIPS 180 example, whole and in pieces") {
  const auto* expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  CHECK(sha256_hex("abc") == expected);
  Sha256 hash;
  hash.update("a");
  hash.update("bc");
  CHECK(hash.finish_hex() == expected);
}

TEST_CASE("random: uuid has the shape of version 4") {
  const std::string uuid = random_uuid();
  CHECK(uuid.size() == 36);
  CHECK(uuid[14] == '4');
  CHECK(uuid != random_uuid());
  CHECK(random_suffix(5).size() == 5);
}

TEST_CASE("backoff: grows to its ceiling, jitters, keeps the server's floor") {
  const BackoffPolicy policy{100ms, 1000ms, 2.0};
  CHECK(backoff_delay(policy, 1, 0.5) == 50ms);
  CHECK(backoff_delay(policy, 3, 0.5) == 200ms);
  CHECK(backoff_delay(policy, 30, 0.999) == 999ms);
  CHECK(backoff_delay(policy, 1, 0.0, 5000ms) == 5000ms);
}

TEST_CASE("duration: parses what Go parses") {
  CHECK(parse_duration("1h30m") == 90min);
  CHECK(parse_duration("1.5s") == 1500ms);
  CHECK(parse_duration("300ms") == 300ms);
  CHECK(parse_duration("-2m") == -2min);
  CHECK(parse_duration("0") == 0s);
  CHECK(parse_duration("5s5s1.15s5s") == 16150ms);  // 1.15e9 is not a whole number in binary
  CHECK(parse_duration("9223372036854775807ns") == std::chrono::nanoseconds::max());
  CHECK(parse_duration(".5s") == 500ms);
  CHECK(parse_duration("1.s") == 1s);
  CHECK(parse_duration("0.333333333333333333h") == 1199999999999ns);  // as Go has it
  for (const char* bad : {"", "5", "s", "1x", "1.2.3s", "-", ".s", "1h-2m", "9223372036854775808ns",
                          "2562048h", "99999999999999999999999h"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_duration(bad));
  }
  CHECK(go_duration(90min) == "1h30m0s");
  CHECK(go_duration(1500ms) == "1.5s");
  CHECK(go_duration(300ms) == "300ms");
  CHECK(go_duration(0s) == "0s");
}

TEST_CASE("duration: ages as kubectl prints them") {
  CHECK(human_duration(5s) == "5s");
  CHECK(human_duration(119s) == "119s");
  CHECK(human_duration(150s) == "2m30s");
  CHECK(human_duration(3h + 5min) == "3h5m");
  CHECK(human_duration(98h) == "4d2h");
  CHECK(human_duration(24h * 740) == "2y10d");
}

TEST_CASE("time: formats and parses RFC 3339") {
  const auto time = parse_time("2026-11-21T12:00:01.5+02:00");
  REQUIRE(time);
  CHECK(format_time(*time) == "2026-11-21T10:00:01Z");
  CHECK(format_micro_time(*time) == "2026-11-21T10:00:01.500000Z");
  CHECK(format_micro_time(std::chrono::system_clock::time_point(-750ms)) ==
        "1969-12-31T23:59:59.250000Z");
  CHECK(parse_time("2024-02-29T00:00:00Z"));
  for (const char* bad :
       {"yesterday", "2026-11-21T10:00:00", "2026-11-21T10:00:00Zx", "2026-11-21T10:00:00+2:00",
        "2026-11-21T10:00:00+02:00:00", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-11-21T24:00:00Z", "2026-11-21T10:00:60Z", "2026-11-21 10:00:00Z",
        "2026-11-21T10:00:00.Z", "2026-11-21T10:00:00.5e3Z", " 2026-11-21T10:00:00Z"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_time(bad));
  }
}

TEST_CASE("time: what is too far away becomes the nearest that sums can start from") {
  const auto never = parse_time("9999-12-31T23:59:59Z");
  REQUIRE(never);
  CHECK(format_time(*never) == "2200-01-01T00:00:00Z");
  CHECK(*never + 24h * 365 * 60 > *never);  // the longest sums in use are of 10 years
  const auto zero = parse_time("0001-01-01T00:00:00Z");
  REQUIRE(zero);
  CHECK(format_time(*zero).starts_with("1970-01-01T"));
}

TEST_CASE("quantity: the same number in the server's canonical form") {
  const std::pair<const char*, const char*> cases[] = {{"1500m", "1500m"},
                                                       {"1.5", "1500m"},
                                                       {"1024Mi", "1Gi"},
                                                       {"1000k", "1M"},
                                                       {"0.5Gi", "512Mi"},
                                                       {"1e3", "1e3"},
                                                       {"1000m", "1"},
                                                       {"0", "0"},
                                                       {"0.5Ki", "512"},
                                                       {"1536Mi", "1536Mi"},
                                                       {"-1000m", "-1"},
                                                       {"100", "100"},
                                                       {"1.0", "1"},
                                                       {"0.1", "100m"},
                                                       {"12E", "12E"},
                                                       {"1e6", "1e6"},
                                                       {"0.55Gi", "590558003200m"}};
  for (const auto& entry : cases) {
    CAPTURE(entry.first);
    CHECK(same_quantity(entry.first, entry.second));
  }
  for (const char* bad : {"", "x", "1.2.3", "1kk", "Ki", "1e", "9999999999999999999999999999999E",
                          "9211806850171.1806850171Pi"}) {
    CAPTURE(bad);
    CHECK_FALSE(quantity_value(bad));
    CHECK_FALSE(same_quantity(bad, bad));
  }
  CHECK(same_quantity("1", "1000m"));
  CHECK_FALSE(same_quantity("1", "1001m"));
  CHECK(quantity_value("1.5Ki").value() == 1536);
  CHECK(quantity_value("-1500m").value() == -1.5);
}
