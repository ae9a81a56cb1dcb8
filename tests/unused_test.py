"""scripts/unused finds what nothing uses: it runs on small trees, clean ones and some with a dead part."""
import unittest

from tree import TreeTest

PUBLIC, PRIVATE, SOURCE = "lib/a/include/kubist/a/a.hpp", "lib/a/src/b.hpp", "lib/a/src/a.cpp"
CLASS = """class Reader : Base {
 public:
  explicit Reader(const Options& options, int size)
      : Base(size), %s {}
  int size() const { return m_size; }

 private:
  int m_size;
%s
};
"""


class UnusedTest(TreeTest):
    SCRIPT = "unused"
    TREE = {
        PUBLIC: "int sum(int a, int b);\ninline constexpr int k_most = 3;\nstruct Pair {\n  int first = 0;\n};\n",
        PRIVATE: "struct Own {\n  int count = 0;\n};\nint inner(int a);\n",
        SOURCE: "int sum(int a, int b) {\n  return a + b;\n}\nint inner(int a) {\n  return a;\n}\n",
        "cli/src/main.cpp": "int main() {\n  return sum(pair.first, k_most) + own.count;\n}\n",
        "tests/a_test.cpp": "CHECK(dead(k_dead) == pair.dead);\n",
    }

    def add(self, file, text, *dead):
        self.check({file: self.TREE.get(file, "") + text},
                   *(f"{file}: {name}: nothing but tests uses it" for name in dead))

    def member(self, setting, declared, *dead, more=""):
        for file in (PRIVATE, "lib/a/src/c.cpp"):
            self.add(file, CLASS % (setting, declared), *dead)
            self.add(file, CLASS % (setting, declared) + more)

    def test_clean(self):
        self.check({})

    def test_functions(self):
        self.add(PUBLIC, "int dead(int a);\n", "dead")
        for source in ("int dead(int a) {\n}\n", '// see dead(1)\nf("dead");\n'):
            self.check({PUBLIC: self.TREE[PUBLIC] + "int dead(int a);\n", "lib/a/src/dead.cpp": source},
                       f"{PUBLIC}: dead: nothing but tests uses it")
        self.add(PRIVATE, "int dead(int a);\n")  # the compiler sees to those
        self.add(PUBLIC, "int rules_without_twin();\n")

    def test_constants(self):
        self.add(PUBLIC, "inline constexpr int k_dead = 1;\n", "k_dead")

    def test_fields(self):
        for file in (PUBLIC, PRIVATE):
            self.add(file, "struct More {\n  std::vector<int> dead = {};\n};\n", "dead")
        self.check({PRIVATE: "struct Own {\n  int count = 0;\n  int dead;\n};\n", "cli/src/b.cpp": "own.dead = 1;\n"},
                   f"{PRIVATE}: dead: nothing but tests uses it")

    def test_members(self):
        self.member("m_options(options)", "  const Options& m_options;", "m_options",
                    more="int Reader::width() {\n  return m_options.width;\n}\n")
        self.member("m_a(1), m_b{f(options)}", "  int m_a, m_b;\n  int m_c[4];", "m_a", "m_b", "m_c",
                    more="int Reader::sum() {\n  return f(m_a, m_b) + m_c[0];\n}\n")
        self.member("Other()", "  const std::function<int(const Options&)>\n      m_ask = nullptr;", "m_ask",
                    more="class Deeper final : public Reader {\n  int ask() {\n    m_ask(options);\n  }\n};\n")
        self.member("Other()", "  Reader() noexcept : m_a(1) {}\n  int m_a;", "m_a",
                    more="int Reader::a() {\n  return m_a;\n}\n")
        self.member("Other()", "  bool m_done = false;\n  void end() {\n    m_done = true;\n  }", "m_done",
                    more="bool operator==(const Reader& a, const Reader& b) {\n  return a.m_done == b.m_done;\n}\n")

    def test_members_of_others(self):
        dead = CLASS % ("m_options(options)", "  Options m_options;")
        reached = "int f() {\n  return it->m_options;\n}\n"
        other = "class Other {\n  int f() {\n    return m_options;\n  }\n  int m_options;\n};\n"
        self.add(PRIVATE, dead + other, "m_options")
        for text in (other, reached):
            self.check({PRIVATE: self.TREE[PRIVATE] + dead, SOURCE: self.TREE[SOURCE] + text},
                       f"{PRIVATE}: m_options: nothing but tests uses it")
        local = "int %s() {\n  struct Local {\n    int get() { return %s; }\n    int m_a;\n  };\n}\n"
        self.add(SOURCE, local % ("f", "1") + local % ("g", "m_a"), "m_a")

    def test_definitions_elsewhere(self):
        head = CLASS % ("m_options(options)", "  Options m_options;")
        use = "int Reader::width() {\n  return f(g(),\n           m_options);\n}\n"
        self.check({PRIVATE: self.TREE[PRIVATE] + head, "lib/a/src/b.cpp": use})
        self.check({PRIVATE: self.TREE[PRIVATE] + head, "lib/a/src/b.cpp": use, "lib/a/src/c.cpp":
                    "void Reader::set() {\n  switch (a) {\n    case 1:\n      m_options = 2;\n  }\n}\n"})
        self.check({"lib/a/src/c.cpp": head, "lib/a/src/b.cpp": use},
                   "lib/a/src/c.cpp: m_options: nothing but tests uses it")

    def test_members_whose_life_is_their_use(self):
        self.member("m_stop(stop)", "  std::stop_callback<std::function<void()>> m_stop;\n"
                    "  std::vector<std::jthread> m_all;")


if __name__ == "__main__":
    unittest.main()
