"""hit.ret: what the ABI of the language and the debug information say of it; where they do not say it, an error."""

import shutil
import subprocess

from harness import Skip, compile_text, params

RUST = r"""
// std::hint::black_box is stable from Rust 1.66 on
#[inline(always)] fn black_box<T: Copy>(x: T) -> T { unsafe { std::ptr::read_volatile(&x) } }
struct Pt { x: i16, y: u64 }
struct Q { a: u8, b: u32, c: u8 }
#[inline(never)] fn pt(k: u32) -> Pt { black_box(&k); Pt { x: -9, y: k as u64 } }
#[inline(never)] fn q(k: u32) -> Q { black_box(&k); Q { a: 1, b: k, c: 3 } }
#[inline(never)] fn tup(k: u32) -> (u8, u64) { black_box(&k); (7, k as u64) }
#[inline(never)] fn mixed(k: u32) -> (u32, f64) { black_box(&k); (11, k as f64 + 0.5) }
#[inline(never)] fn big(k: u32) -> Option<u64> { black_box(&k); if k == 9 { None } else { Some(k as u64) } }
#[inline(never)] fn res(k: u32) -> Result<u32, u32> { black_box(&k); if k == 9 { Err(k) } else { Ok(k) } }
#[inline(never)] fn byte(k: u32) -> Option<u8> { black_box(&k); if k == 9 { None } else { Some(k as u8) } }
#[inline(never)] fn real(k: u32) -> Option<f64> { black_box(&k); if k == 9 { None } else { Some(k as f64 + 0.5) } }
#[inline(never)] fn text(k: u32) -> Option<&'static str> { black_box(&k); if k == 9 { None } else { Some("hey") } }
#[inline(never)] fn flag(k: u32) -> Option<(bool, u8)> { black_box(&k); if k == 9 { None } else { Some((true, 4)) } }
#[inline(never)] fn odd(k: u32) -> Result<f64, u64> { black_box(&k); if k == 9 { Err(9) } else { Ok(1.5) } }
fn main() { for k in [3u32, 9] {
    let (a, b) = (pt(k), q(k));
    println!("{} {} {} {} {}", a.x, a.y, b.a, b.b, b.c);
    println!("{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}", tup(k), mixed(k), big(k), res(k), byte(k), real(k), text(k), flag(k), odd(k));
} }
"""
RUST_WANT = {
    "pt": ("{x = -9, y = 3}", "{x = -9, y = 9}"),
    "q": ("{a = 1, b = 3, c = 3}", "{a = 1, b = 9, c = 3}"),
    "tup": ("{__0 = 7, __1 = 3}", "{__0 = 7, __1 = 9}"),
    "mixed": ("{__0 = 11, __1 = 3.5}", "{__0 = 11, __1 = 9.5}"),
    "big": ("{Some = {__0 = 3}}", "{None = {}}"),
    "res": ("{Ok = {__0 = 3}}", "{Err = {__0 = 9}}"),
    "byte": ("{Some = {__0 = 3}}", "{None = {}}"),
    "real": ("{Some = {__0 = 3.5}}", "{None = {}}"),
    "text": ('{Some = {__0 = "hey"}}', "{None = {}}"),
    "flag": ("{Some = {__0 = {__0 = true, __1 = 4}}}", "{None = {}}"),
    "odd": (None, None),  # a number and a float in one place: no pair, and rustc's versions differ
}


def rust(t, name, text, *flags):
    if not shutil.which("rustc"):
        raise Skip("no rustc")
    source = t.file(name + ".rs", text)
    subprocess.run(["rustc", "-Awarnings", *flags, "-o", t.path(name), source], check=True)
    return t.path(name)


def returned(t, program, names):
    """{function: what hit.ret said, one for each call}; an error without its place."""
    script = "".join("""at "%s%%return":run(function(hit)
	local ok, said = pcall(function() return tostring(hit.ret) end)
	print("%s", ok and said or said:gsub("^.-: ", "ERROR "))
end)
""" % (n, n.split("::")[-1]) for n in names)
    r = t.clean(t.run_gated(program, script=script, report=False))
    said = {}
    for line in r.err.splitlines():
        name, value = line.split("\t")[:2]
        said.setdefault(name, []).append(value)
    return said


def test_rust(t):
    """Enums with contents, from the first time on; and fields that rustc has reordered."""
    said = returned(t, rust(t, "rret", RUST, "-g"), ["rret::" + n for n in RUST_WANT])
    for name, (first, second) in RUST_WANT.items():
        if first is None:
            t.check(all("is not known how" in s for s in said[name]), "%s: %s" % (name, said[name]))
        else:
            t.equal(said[name], [first, second], name)


UNTYPED = r"""
#include <stdio.h>
struct big { long a, b, c; };
int global = 7;
__attribute__((noinline)) double fd(double x) { __asm__ volatile("" : "+x"(x)); return x * 2; }
__attribute__((noinline)) struct big fb(long x) { struct big b = { x, 2, 3 }; return b; }
__attribute__((noinline)) void fv(int *p) { *p = 5; }
__attribute__((noinline)) int fi(int x) { __asm__ volatile("" : "+r"(x)); return x + global; }
int main(void)
{
	int v;
	fv(&v);
	printf("%g %ld %d %d\n", fd(2.5), fb(1).c, v, fi(-10));
}
"""


@params(*(c + " " + o for c in ("gcc -g1", "clang -g1", "clang -gline-tables-only") for o in ("-O0", "-O2")))
def test_debug_information_without_types(t, build):
    """Neither that a function returns nothing nor what the register has, sign and all, is known."""
    compiler, flags = build.split(" ", 1)
    program = compile_text("untyped.c", UNTYPED, flags, compiler=compiler)
    for name, said in returned(t, program, ["fd", "fb", "fv", "fi"]).items():
        t.check(len(said) == 1 and said[0].startswith("ERROR hit.ret: the debug information has no types here")
                and "-g" in said[0], "%s: %s" % (name, said))
    r = t.clean(t.run_gated(program, report=False, script="""
at "fi":run(function(hit)
	print(pcall(function() return hit.arg[0] end))
	print(pcall(function() return hit.var.x end))
	print(pcall(function() return hit:call("fi", 3) end))
end)
"""))
    lines = r.err.splitlines()
    t.equal(len(lines), 3, "lines", r)
    t.check(all(l.startswith("false\t") and "no types" in l for l in lines), "each is an error", r)


@params("gcc -g0", "gcc -g", "clang -g")
def test_with_types_and_without_anything(t, build):
    """Without debug information the register is shown as it is; with it what it means."""
    compiler, flags = build.split()
    said = returned(t, compile_text("untyped.c", UNTYPED, flags, compiler=compiler), ["fd", "fb", "fv", "fi"])
    if flags == "-g0":
        t.equal(said["fi"], ["4294967293"], "raw")
    else:
        t.equal({n: said[n] for n in ("fd", "fb", "fi")},
                {"fd": ["5.0"], "fb": ["{a = 1, b = 2, c = 3}"], "fi": ["-3"]}, build)
        t.equal(said["fv"], ["ERROR hit.ret: fv returns nothing"], build)


def test_rust_without_types(t):
    said = returned(t, rust(t, "rret", RUST, "-Cdebuginfo=1"), ["rret::" + n for n in ("pt", "res", "byte")])
    for name in ("pt", "res", "byte"):
        t.check(all("has no types here" in s for s in said[name]), "%s: %s" % (name, said))


CHANGED = r"""
#include <stdio.h>
int cnt;
static __attribute__((noinline)) int lost(int v) { cnt += v; printf("%d\n", v); cnt++; return v + 100; }
static __attribute__((noinline)) int kept(int v, int always) { cnt += v * always; printf("%d\n", v); cnt++; return v + 100; }
int main(void)
{
	int s = 0;
	for (int i = 0; i < 3; i++) {
		lost(i);
		s += kept(i, 3);
	}
	return s == 7;
}
"""


def test_unused_value(t):
    """gcc drops it (.isra), and says so nowhere else; a clone that only takes fewer arguments (.constprop) returns it."""
    said = returned(t, compile_text("changed.c", CHANGED, "-g -O2"), ["lost", "kept"])
    t.check(all("the compiler has changed how lost returns" in s for s in said["lost"]), str(said))
    t.equal(said["kept"], ["100", "101", "102"], "kept")


def test_unused_rust_values(t):
    """rustc marks the functions that return otherwise than their type says (DW_CC_nocall); rustc 1.63 marks none."""
    names = ["pt", "q", "big"]
    program = rust(t, "rret", RUST, "-g", "-O")
    if "(nocall)" not in subprocess.run(["readelf", "--debug-dump=info", program], capture_output=True, text=True, errors="replace").stdout:
        return
    said = returned(t, program, ["rret::" + n for n in names])
    for n in names:
        changed = ["the compiler has changed how rret::%s returns" % n in s for s in said[n]]
        t.check(all(changed) or said[n] == list(RUST_WANT[n]), "%s: %s" % (n, said[n]))
