"""For each check: files that break the rule, and files that look like it and do not."""


def long_function(lines, head="int f(int x)"):
    return head + " {\n" + "  ++x;\n" * (lines - 2) + "}\n"


MARK = "TO" + "DO"

VIOLATIONS = {
    "layering": [
        ("engine/src/a.cc", '#include "nandi/sim/world.h"\n'),
        ("engine/include/nandi/engine/a.h", "#include <nandi/checker/model.h>\n"),
        ("sim/test/a_test.cc", '#include "nandi/reports/text.h"\n'),
        ("checker/src/a.cc", '#include "../../reports/src/text.h"\n'),
        ("reports/src/a.cc", '#include "nandi/nowhere/a.h"\n'),
        ("engine/src/a.cc", '#include "../tools/arguments.h"\n'),
    ],
    "determinism": [
        ("sim/src/a.cc", "std::normal_distribution<double> d;\n"),
        ("sim/src/a.cc", "std::random_device source;\n"),
        ("sim/src/a.cc", "const int x = rand();\n"),
        ("sim/src/a.cc", "std::shuffle(a.begin(), a.end(), g);\n"),
        ("engine/src/a.cc", "auto t = std::chrono::system_clock::now();\n"),
        ("engine/src/a.cc", "std::chrono::duration<double> d;\n"),
        ("engine/src/a.cc", "double gap = 0.15;\n"),
        ("engine/src/a.cc", "double lease_expiry = 3;\n"),
        ("sim/src/a.cc", "#include <cmath>\n"),
        ("sim/src/a.cc", "const double x = std::exp(y);\n"),
        (
            "sim/src/a.cc",
            "std::unordered_map<int, int> seen_;\n"
            "void f() {\n  for (auto& [k, v] : seen_) g();\n}\n",
        ),
        (
            "checker/src/a.cc",
            "boost::unordered_flat_set<int> keys;\nauto first = keys.begin();\n",
        ),
    ],
    "portability": [
        ("reports/src/a.cc", 'auto s = std::format("{}", 1);\n'),
        ("reports/src/a.cc", "#include <format>\n"),
        ("checker/src/a.cc", "for (int x : std::views::iota(1, 5)) f(x);\n"),
        ("engine/src/a.cc", "std::expected<int, int> e;\n"),
    ],
    "names": [
        ("sim/src/string_util.cc", "\n"),
        ("sim/src/EventQueue.cc", "\n"),
        ("sim/src/a.cc", "class WorkerManager {};\n"),
        ("sim/src/a.cc", "void parse_helper();\n"),
        ("sim/src/a.cc", "namespace common {}\n"),
    ],
    "columns": [
        ("sim/src/a.cc", "// " + "x" * 98 + "\n"),
        ("cmake/a.cmake", "#" * 101 + "\n"),
        ("README.md", "```\n```\n" + "x" * 101 + "\n"),
        ("sim/src/a.cc", "\tint x;\n"),
        ("sim/src/a.cc", "int x; \n"),
    ],
    "file_length": [("sim/src/a.cc", "int x;\n" * 551)],
    "function_length": [
        ("sim/src/a.cc", long_function(81)),
        ("sim/src/a.cc", "namespace a {\n" + long_function(81, "A::A(int x) : x_{x}") + "}\n"),
        ("sim/src/a.cc", "struct A {\n" + long_function(81, "int f() const noexcept") + "};\n"),
        ("sim/test/a_test.cc", long_function(90, "TEST(Suite, claim)")),
        (
            "sim/src/a.cc",
            long_function(81, "template <class T>\n  requires(sizeof(T) > 1)\nT f(struct stat* x)"),
        ),
    ],
    "headers": [
        ("sim/include/nandi/sim/a.h", "// Purpose.\nint f();\n"),
        ("sim/include/nandi/sim/a.h", "#pragma once\n\nint f();\n"),
    ],
    "heavy_includes": [
        ("sim/include/nandi/sim/a.h", "#include <nlohmann/json.hpp>\n"),
        ("sim/include/nandi/sim/a.h", "#include <boost/graph/adjacency_list.hpp>\n"),
        ("checker/include/nandi/checker/a.h", "#include <z3++.h>\n"),
    ],
    "unfinished": [
        ("sim/src/a.cc", f"// {MARK}: later\n"),
        ("cmake/a.cmake", f"# {MARK}\n"),
        ("sim/src/a.cc", 'throw std::logic_error("not ' + 'implemented");\n'),
        ("README.md", "See /ho" + "me/someone/nandi.\n"),
    ],
    "tests": [
        ("sim/test/a_test.cc", "TEST(Suite, DISABLED_claim) {}\n"),
        ("sim/test/a_test.cc", "TEST_F(DISABLED_Suite, claim) {}\n"),
        ("sim/test/a_test.cc", "EXPECT_TRUE(true);\n"),
    ],
    "scenario_headers": [
        ("scenarios/a.yaml", "name: a\n"),
        ("scenarios/a.yaml", "#\nname: a\n"),
    ],
}

CLEAN = {
    "layering": [
        ("sim/src/a.cc", '#include "nandi/engine/time.h"\n#include "nandi/sim/world.h"\n'),
        ("engine/tools/a.cc", '#include "nandi/sim/world.h"\n'),
        ("engine/test/a_test.cc", '#include "../tools/arguments.h"\n'),
        ("engine/src/a.cc", '// #include "nandi/sim/world.h"\n'),
    ],
    "determinism": [
        ("sim/src/a.cc", "// std::exp differs between libraries, so it is not used\n"),
        ("sim/src/a.cc", 'const char* text = "rand()";\n'),
        ("sim/src/a.cc", "std::unordered_map<int, int> seen_;\nbool known = seen_.contains(3);\n"),
        ("sim/src/a.cc", "std::vector<int> seen;\nvoid f() {\n  for (int x : seen) g(x);\n}\n"),
        ("reports/src/a.cc", "#include <cmath>\ndouble gap = 0.15;\n"),
        ("sim/src/a.cc", "double timeline_width = 3;\nint operand(int x);\n"),
    ],
    "portability": [("sim/src/a.cc", 'auto s = fmt::format("{}", 1);  // no std::format\n')],
    "names": [
        ("sim/src/a.cc", "double utilisation = 0;\nusing T = std::common_type_t<int, long>;\n"),
        ("sim/src/a.cc", "// a helper would be named badly\nint uncommon;\n"),
    ],
    "columns": [
        ("sim/src/a.cc", "// " + "x" * 97 + "\n"),
        ("README.md", "|" * 200 + "\n```\n" + "x" * 101 + "\n```\n"),
    ],
    "file_length": [("sim/src/a.cc", "int x;\n" * 550)],
    "function_length": [
        ("sim/src/a.cc", long_function(80)),
        ("sim/src/a.cc", "namespace a {\n" + "int x;\n" * 100 + "}\n"),
        ("sim/src/a.cc", "struct A {\n" + "int f() { return 1; }\n" * 100 + "};\n"),
        ("sim/src/a.cc", "const int kTable[] = {\n" + "1,\n" * 100 + "};\n"),
    ],
    "headers": [
        ("sim/include/nandi/sim/a.h", "// Purpose.\n#pragma once\n"),
        ("sim/src/a.h", "#pragma once\nint f();\n"),
    ],
    "heavy_includes": [
        ("sim/src/a.cc", "#include <nlohmann/json.hpp>\n"),
        ("sim/include/nandi/sim/a.h", "#include <boost/container/static_vector.hpp>\n"),
    ],
    "unfinished": [("sim/src/a.cc", "// the to-do list of a worker; see docs/work/a\n")],
    "tests": [("sim/test/a_test.cc", "TEST(Suite, claim) { EXPECT_TRUE(holds); }\n")],
    "scenario_headers": [("scenarios/a.yaml", "# Three workers, then two more.\nname: a\n")],
}
