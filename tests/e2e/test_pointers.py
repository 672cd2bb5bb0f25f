"""Members behind pointers to pointers."""

import shutil
import subprocess

from harness import Skip, compile_text

POINTERS = """
struct pt { long x, y; };
__attribute__((noinline)) long f(struct pt **pp) { return (*pp)->x; }
int main(void) { struct pt p = {1, 2}, *q = &p; return f(&q) == 7; }
"""
BOXED = """
struct Pt { x: i64, y: i64 }
#[inline(never)] fn f(p: &Box<Pt>) -> i64 { p.x + p.y }
fn main() { println!("{}", f(&Box::new(Pt { x: 1, y: 2 }))); }
"""


def test_a_member_behind_two_pointers(t):
    """C's dot follows one of them, and the error says where the member is."""
    r = t.clean(t.run_gated(compile_text("pointers.c", POINTERS), report=False, script="""
at "f":run(function(hit)
	print(pcall(function() return hit.var.pp.x end))
	print(hit.var.pp[0].x, hit:eval "(*pp)->y")
end)
"""))
    t.check("a 'struct pt **' has no member 'x': it points to a pointer to an object that has it" in r.err, "error", r)
    t.equal(r.err.splitlines()[-1], "1\t2", "values", r)


def test_rust_box_behind_a_reference(t):
    """Rust's dot follows both."""
    if not shutil.which("rustc"):
        raise Skip("no rustc")
    source = t.file("boxed.rs", BOXED)
    subprocess.run(["rustc", "-g", "-o", t.path("boxed"), source], check=True)
    r = t.clean(t.run_gated(t.path("boxed"), report=False, script="""
at "boxed::f":run(function(hit) print(hit.var.p.x, hit.var.p.y, hit:eval "p.x", hit:eval "p->y") end)
"""))
    t.equal(r.err, "1\t2\t1\t2\n", "values", r)
