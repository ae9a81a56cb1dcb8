// main() of every doctest program. Beside doctest's own: a filter that matches nothing fails, a
// random order has a printed seed ($KUBIST_TEST_SEED repeats it), and what each case cost is
// appended to the file $KUBIST_TEST_COSTS.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>

#include <doctest/doctest.h>
#include <errno.h>
#include <sys/resource.h>

#include "support/cost.hpp"

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
  void test_case_start(const doctest::TestCaseData& test) override {
    m_name = test.m_name;
    m_self = processor_seconds(RUSAGE_SELF);
    m_children = processor_seconds(RUSAGE_CHILDREN);
    kubist::cost::kubectl = kubist::cost::kubist = kubist::cost::requests = 0;
    kubist::cost::waited = kubist::cost::longest_wait = 0;
  }
  void test_case_end(const doctest::CurrentTestCaseStats& stats) override {
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
  void test_run_start() override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

  inline static bool s_none = false;  ///< no case was chosen

 private:
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
  doctest::Context context;
  const unsigned chosen = seed();
  context.setOption("rand-seed", static_cast<int>(chosen));
  context.applyCommandLine(argc, argv);
  const int failed = context.run();
  if (context.shouldExit()) {
    return failed;
  }
  std::printf("to repeat a random order: KUBIST_TEST_SEED=%u\n", chosen);
  if (Costs::s_none) {
    std::puts("no test case was chosen: do the filters name one?");
    return 1;
  }
  return failed;
}
