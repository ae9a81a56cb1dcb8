// Time zones and schedules, with the C library's own clocks as oracle.
#include "time/zone.hpp"

#include <cstdlib>
#include <ctime>
#include <fstream>

#include <doctest/doctest.h>

#include <kubist/util/fs.hpp>

#include "time/cron.hpp"

using namespace kubist::policies;
using std::chrono::local_seconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

namespace {

/// Makes the C library's local time that of a zone.
class Clocks {
 public:
  explicit Clocks(const char* zone) { set(zone); }
  ~Clocks() { set("UTC"); }
  Clocks(const Clocks&) = delete;
  Clocks& operator=(const Clocks&) = delete;

  static long offset_at(sys_seconds time) {
    const std::time_t at = time.time_since_epoch().count();
    std::tm shown{};
    ::localtime_r(&at, &shown);
    return shown.tm_gmtoff;
  }

 private:
  static void set(const char* zone) {
    ::setenv("TZ", zone, 1);
    ::tzset();
  }
};

constexpr const char* k_zones[] = {"Europe/Berlin",     "America/New_York",
                                   "America/Sao_Paulo", "Asia/Kolkata",
                                   "Asia/Tehran",       "Australia/Lord_Howe",
                                   "Africa/Casablanca", "Pacific/Apia",
                                   "Europe/Dublin",     "Asia/Gaza",
                                   "Pacific/Chatham",   "America/St_Johns",
                                   "Antarctica/Troll",  "UTC"};

std::chrono::year_month_day day(int year, unsigned month, unsigned of_month) {
  return {std::chrono::year(year), std::chrono::month(month), std::chrono::day(of_month)};
}

std::string message_of(const char* schedule) {
  const auto read = Cron::parse(schedule);
  return read ? "" : read.error().message;
}

}  // namespace

TEST_CASE("zone: clocks show what the C library says, through a century") {
  for (const std::string name : k_zones) {
    const auto zone = Zone::find(name);
    REQUIRE_MESSAGE(zone, zone.error().to_string());
    const Clocks clocks(name.c_str());
    CAPTURE(name);
    int wrong = 0;
    for (auto time = sys_seconds(std::chrono::sys_days(day(1990, 1, 1)));
         time < std::chrono::sys_days(day(2090, 1, 1)); time += std::chrono::hours(29)) {
      wrong += zone->offset_at(time).count() == Clocks::offset_at(time) ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("zone: a local time is one that clocks show, the first of two") {
  for (const std::string name : k_zones) {
    const auto zone = Zone::find(name);
    REQUIRE(zone);
    CAPTURE(name);
    int wrong = 0;
    for (auto time = local_seconds(std::chrono::local_days(day(2026, 1, 1)));
         time < std::chrono::local_days(day(2029, 1, 1)); time += std::chrono::minutes(30)) {
      const sys_seconds found = zone->to_utc(time);
      const local_seconds shown((found + zone->offset_at(found)).time_since_epoch());
      const sys_seconds hour_before = found - std::chrono::hours(1);
      const bool earlier =
          local_seconds((hour_before + zone->offset_at(hour_before)).time_since_epoch()) == time;
      wrong += shown < time || earlier ? 1 : 0;
    }
    CHECK(wrong == 0);
  }
  const auto berlin = Zone::find("Europe/Berlin");
  const auto at = [&](unsigned month, unsigned of_month, int hour, int minute) {
    return (berlin->to_utc(std::chrono::local_days(day(2026, month, of_month)) +
                           std::chrono::hours(hour) + std::chrono::minutes(minute)) -
            std::chrono::sys_days(day(2026, month, of_month))) /
           std::chrono::minutes(1);
  };
  CHECK(at(3, 29, 2, 30) == 90);   // left out: 03:30 in summer
  CHECK(at(10, 25, 2, 30) == 30);  // twice: the one in summer
}

TEST_CASE("zone: rules of every form, for all years to come") {
  for (const std::string rule :
       {"CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT,M3.2.0,M11.1.0", "<+0545>-5:45",
        "AEST-10AEDT,M10.1.0,M4.1.0/3", "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
        "IST-2IDT,M3.4.4/26,M10.5.0", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "XXX3YYY,J60,J300/1:30:15",
        "XXX-3YYY-4:20,59/0,300", "IST-1GMT0,M10.5.0,M3.5.0/1"}) {
    const auto read = PosixRule::parse(rule);
    REQUIRE_MESSAGE(read, rule);
    const Clocks clocks(rule.c_str());
    CAPTURE(rule);
    int wrong = 0;
    for (auto time = sys_seconds(std::chrono::sys_days(day(2026, 1, 1)));
         time < std::chrono::sys_days(day(2110, 1, 1)); time += std::chrono::minutes(997)) {
      wrong += read->offset_at(time).count() == Clocks::offset_at(time) ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
  // Summer all the year, as RFC 8536 writes it; the C library gets the first hours of a year wrong.
  const auto summer = PosixRule::parse("EST5EDT,0/0,J365/25");
  REQUIRE(summer);
  for (auto time = sys_seconds(std::chrono::sys_days(day(2026, 1, 1)));
       time < std::chrono::sys_days(day(2034, 1, 1)); time += std::chrono::minutes(97)) {
    REQUIRE(summer->offset_at(time) == std::chrono::hours(-4));
  }
  for (const char* rule :
       {"", "C", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.1.0,M1.1.0",
        "CET-1CEST,M3.5.0,M10.5.0/3x", "<CET-1", "CET-168", "CET1,M1.1.0,M2.1.0"}) {
    CHECK_MESSAGE(!PosixRule::parse(rule), rule);
  }
}

TEST_CASE("zone: what is no zone is refused") {
  for (const char* name : {"Nowhere/Land", "../../etc/passwd", "/etc/passwd", "", "tzdata.zi",
                           "Europe", "Europe/Berlin\n"}) {
    const auto zone = Zone::find(name);
    REQUIRE_MESSAGE(!zone, name);
    CHECK(zone.error().to_string().find("timeZone") != std::string::npos);
  }
  // A file that ends too early, at any place.
  const kubist::util::TempDir folder("zone-test");
  const auto whole = kubist::util::read_file("/usr/share/zoneinfo/Europe/Berlin");
  REQUIRE(whole);
  for (std::size_t size = 0; size + 200 < whole->size(); size += 7) {
    std::ofstream(folder.path() / "Cut", std::ios::binary) << whole->substr(0, size);
    CHECK_MESSAGE(!Zone::find("Cut", folder.path()), size);
  }
}

TEST_CASE("schedule: as CronJobs are written") {
  const auto nights = Cron::parse("30 22 * * 1-5");
  REQUIRE(nights);
  CHECK(nights->times() == std::vector{std::chrono::minutes(22 * 60 + 30)});
  CHECK(nights->matches(day(2026, 11, 20)));  // a Friday
  CHECK(!nights->matches(day(2026, 11, 21)));
  const auto lists = Cron::parse("*/20 8-9,17 1,15 JAN-MAR ?");
  REQUIRE(lists);
  CHECK(lists->times().size() == 9);
  CHECK(lists->matches(day(2027, 2, 15)));
  CHECK(!lists->matches(day(2027, 2, 16)));
  CHECK(!lists->matches(day(2027, 4, 15)));
  const auto either = Cron::parse("0 0 13 * fri");  // the 13th, and every Friday
  REQUIRE(either);
  CHECK(either->matches(day(2026, 11, 20)));
  CHECK(either->matches(day(2026, 12, 13)));
  CHECK(!either->matches(day(2026, 12, 14)));
  const auto both = Cron::parse("0 9 1-7 * */7");  // steps restrict: a Sunday or the first week
  REQUIRE(both);
  CHECK(both->matches(day(2026, 11, 22)));
  CHECK(Cron::parse("0 0 * * 7")->matches(day(2026, 11, 22)));  // 7 is Sunday
  CHECK(Cron::parse("5/15 0 * * *")->times().size() == 4);
  CHECK(Cron::parse("@weekly")->matches(day(2026, 11, 22)));
}

TEST_CASE("schedule: what cannot be read names its field") {
  CHECK(message_of("60 * * * *").find("minute: \"60\"") != std::string::npos);
  CHECK(message_of("0 24 * * *").find("hour") != std::string::npos);
  CHECK(message_of("0 0 0 * *").find("day") != std::string::npos);
  CHECK(message_of("0 0 * 13 *").find("month") != std::string::npos);
  CHECK(message_of("0 0 * * someday").find("weekday") != std::string::npos);
  CHECK(message_of("0 0 5-1 * *").find("5-1") != std::string::npos);
  CHECK(message_of("*/0 * * * *").find("*/0") != std::string::npos);
  CHECK(message_of("1/9223372036854775807 * * * *").find("1/92") != std::string::npos);
  CHECK(message_of("0 0 * *").find("five fields") != std::string::npos);
  CHECK(message_of("99999999999999999999 * * * *").find("minute") != std::string::npos);
}
