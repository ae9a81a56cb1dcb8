// main() of every doctest program. Beside doctest's own: a filter that matches nothing fails, also
// one of several; the order is random by a printed seed ($KUBIST_TEST_SEED repeats it); a wait that
// took over half of its limit is told; what each case cost is appended to the file
// $KUBIST_TEST_COSTS. A program that defines jsonnet_child() is its own Jsonnet child, as kubist
// is.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <errno.h>
#include <sys/resource.h>

#include "support/cost.hpp"

/// What the child of a program whose tests run Jsonnet does; not there in others.
__attribute__((weak)) int jsonnet_child();

namespace {

double processor_seconds(int who) {
  rusage used{};
  ::getrusage(who, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// One line of words separated by tabs for each case; scripts/test-times names the columns.
class Costs : public doctest::IReporter {
 public:
  explicit Costs(const doctest::ContextOptions&) {
    if (const char* file = std::getenv("KUBIST_TEST_COSTS"); file != nullptr && *file != '\0') {
      m_file.open(file, std::ios::app);
    }
  }
  void test_run_start() override { s_unmatched = doctest::detail::g_cs->filters[k_test_case]; }
  void test_case_start(const doctest::TestCaseData& test) override {
    m_name = test.m_name;
    std::erase_if(s_unmatched, [&](const doctest::String& pattern) {
      return doctest::wildcmp(m_name, pattern.c_str(), false) != 0;
    });
    m_self = processor_seconds(RUSAGE_SELF);
    m_children = processor_seconds(RUSAGE_CHILDREN);
    kubist::cost::kubectl = kubist::cost::kubist = kubist::cost::requests = 0;
    kubist::cost::waited = kubist::cost::longest_wait = 0;
  }
  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
    if (kubist::cost::longest_wait > 0.5) {
      std::printf("a wait took %.0f %% of its limit: %s\n", 100 * kubist::cost::longest_wait,
                  m_name);
    }
    if (m_file.is_open()) {
      const char* entry =
          std::getenv("KUBIST_TEST_ENTRY");  // tests/cluster/lane knows ctest's name
      m_file << (entry != nullptr ? entry : program_invocation_short_name) << '\t' << stats.seconds
             << '\t' << processor_seconds(RUSAGE_SELF) - m_self << '\t'
             << processor_seconds(RUSAGE_CHILDREN) - m_children << '\t' << kubist::cost::kubectl
             << '\t' << kubist::cost::kubist << '\t' << kubist::cost::requests << '\t'
             << kubist::cost::waited << '\t' << kubist::cost::longest_wait << '\t' << m_name
             << std::endl;
    }
  }
  void test_run_end(const doctest::TestRunStats& stats) override {
    s_none = stats.numTestCasesPassingFilters == 0;
  }
  void report_query(const doctest::QueryData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

  inline static bool s_none = false;  ///< no case was chosen
  /// Patterns of --test-case that chose no case.
  inline static std::vector<doctest::String> s_unmatched;

 private:
  static constexpr std::size_t k_test_case = 4;  ///< in doctest's filters: --test-case

  std::ofstream m_file;
  const char* m_name = "";
  double m_self = 0, m_children = 0;
};

REGISTER_LISTENER("costs", 1, Costs);

unsigned seed() {
  const char* given = std::getenv("KUBIST_TEST_SEED");
  return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10))
                          : std::random_device()() % 1000000;
}

}  // namespace

int main(int argc, char** argv) {
  if (jsonnet_child != nullptr && argc == 2 && std::string_view(argv[1]) == "__jsonnet") {
    return jsonnet_child();
  }
  doctest::Context context;
  const unsigned chosen = seed();
  context.setOption("rand-seed", static_cast<int>(chosen));
  context.setOption("order-by", "rand");
  context.applyCommandLine(argc, argv);
  if (context.shouldExit()) {
    return context.run();
  }
  std::printf("to repeat this order: KUBIST_TEST_SEED=%u\n", chosen);
  std::fflush(stdout);  // also when a limit of time ends the run
  const int failed = context.run();
  if (Costs::s_none) {
    std::puts("no test case was chosen: do the filters name one?");
    return 1;
  }
  for (const doctest::String& pattern : Costs::s_unmatched) {
    std::printf("no test case was chosen by \"%s\"\n", pattern.c_str());
  }
  return Costs::s_unmatched.empty() ? failed : 1;
}
