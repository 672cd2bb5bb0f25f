"""Variables that the optimiser has dropped are said to be so, by their names."""

from harness import compile_text, params

NAMESPACE = """
#include <cstdio>
namespace q { static int limit = 17; }
using %s;
__attribute__((noinline)) int f(int x) { return x + limit; }
int main() { std::printf("%%d\\n", f(1)); }
"""


@params("g++ q::limit", "g++ namespace q", "clang++ q::limit", "clang++ namespace q")
def test_using(t, how):
    compiler, _, using = how.partition(" ")
    p = compile_text("dropped.cc", NAMESPACE % using, flags="-g -O2", compiler=compiler)
    for expression, said in (
        ("hit.var.limit", "limit: optimised out at this line"),
        ('hit.var["q::limit"]', "q::limit: optimised out at this line"),
        ("program.var.limit", "limit: optimised out of the whole program"),
        ('program.var["q::limit"]', "q::limit: optimised out of the whole program"),
        ("hit.var.limi", "no variable 'limi' here; did you mean limit?"),
    ):
        r = t.run_gated(p, script=f'at "f":run(function(hit) print({expression}) end)\n')
        known = "limi\"" not in expression and "limi)" not in expression and r.err == "17\n"  # clang 19 says that it is constant
        t.check(said in r.err or known, expression, r)
