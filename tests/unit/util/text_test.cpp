#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

using namespace kubist::util;

TEST_CASE("text: cat joins text, characters, bools and numbers") {
  CHECK(cat("line ", 3, ':', std::string("x"), " ", true, " ", -1.5) == "line 3:x true -1.5");
}

TEST_CASE("text: split and join keep empty pieces") {
  CHECK(split("a,,b", ',') == std::vector<std::string>{"a", "", "b"});
  CHECK(split("", ',') == std::vector<std::string>{""});
  CHECK(join({"a", "", "b"}, "--") == "a----b");
}

TEST_CASE("text: trim, lower, iequals, replace_all") {
  CHECK(trim("  a b\t\n") == "a b");
  CHECK(trim(" \n") == "");
  CHECK(lower("Retry-After") == "retry-after");
  CHECK(iequals("Retry-After", "RETRY-AFTER"));
  CHECK_FALSE(iequals("Retry", "Retry-After"));
  CHECK(replace_all("a-b-", "-", "::") == "a::b::");
}

TEST_CASE("text: percent_encode keeps RFC 3986 unreserved characters only") {
  CHECK(percent_encode("a-b.c_d~e") == "a-b.c_d~e");
  CHECK(percent_encode("a/b=c,d é") == "a%2Fb%3Dc%2Cd%20%C3%A9");
}

TEST_CASE("text: parse_int takes whole decimal integers only") {
  CHECK(parse_int("-12") == -12);
  CHECK_FALSE(parse_int("12x"));
  CHECK_FALSE(parse_int(""));
  CHECK_FALSE(parse_int("99999999999999999999"));
}

TEST_CASE("text: edit distance counts a transposition as one") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("replicas", "replcias") == 1);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("text: suggestions are near, not far") {
  CHECK(did_you_mean("replcas", {"replicas", "selector"}) == ", did you mean \"replicas\"?");
  CHECK(did_you_mean("zzz", {"replicas", "selector"}) == "");
  const std::string longest(128, 'x');
  CHECK(did_you_mean(longest, {longest}) != "");
  CHECK(did_you_mean(longest + 'x', {longest}) == "");  // their product is the time that it takes
  CHECK(did_you_mean(longest, {longest + 'x'}) == "");
}

TEST_CASE("text: glob_match takes stars anywhere") {
  CHECK(glob_match("team-*", "team-a"));
  CHECK(glob_match("*", ""));
  CHECK(glob_match("a*b*c", "aXXbYYc"));
  CHECK_FALSE(glob_match("team-*", "my-team-a"));
  CHECK_FALSE(glob_match("a", "ab"));
}

TEST_CASE("text: terminal width and control characters") {
  CHECK(display_width("äb") == 2);
  CHECK(display_width("日本") == 4);
  CHECK(printable("a\x1b[31mb\n") == "a\\x1b[31mb\n");
  CHECK(printable("\xc2\x9b"
                  "31m") == "\\xc2\\x9b31m");  // CSI, as one character
  CHECK(printable("\xc2\xa0ä日\xf0\x9f\x98\x80") == "\xc2\xa0ä日\xf0\x9f\x98\x80");
  CHECK(printable("a\u202eb") == "a\\xe2\\x80\\xaeb");  // what follows from the right
  CHECK(printable("a\u200eb\u200fc\u061c") == "a\\xe2\\x80\\x8eb\\xe2\\x80\\x8fc\\xd8\\x9c");
  CHECK(printable("\x1b[1;31mred\x1b[0m \x1b[2J\x1b[31", Colors::keep) ==
        "\x1b[1;31mred\x1b[0m \\x1b[2J\\x1b[31");
  CHECK(printable("\u2066x\u2069") == "\\xe2\\x81\\xa6x\\xe2\\x81\\xa9");
  CHECK(printable("\x9b"
                  "31m") == "\\x9b31m");                                    // no UTF-8
  CHECK(printable("\xc0\x9b\xe0\x80\x9b") == "\\xc0\\x9b\\xe0\\x80\\x9b");  // too long forms of ESC
  CHECK(printable("\xed\xa0\x80\xf4\x90\x80\x80") == "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80");
  CHECK(printable("\xe6\x97") == "\\xe6\\x97");  // cut off
}

TEST_CASE("shortened: whole characters, and a word that it was cut") {
  CHECK(shortened("abc", 3) == "abc");
  CHECK(shortened("abcd", 3) == "abc ... (cut)");
  CHECK(shortened("ab\u00e4", 3, "...") == "ab...");
  CHECK(shortened("ab\u00e4", 4) == "ab\u00e4");
}
