// Texts built to explode: patterns, scripts, documents and bodies whose naive evaluation is exponential, quadratic, deep or huge.
import type { Dice } from "../../simulation/dice.ts";

/** Draws a regular expression that a backtracking engine never finishes, and a text that nearly matches. */
export function hostilePattern(dice: Dice): { readonly pattern: string; readonly text: string } {
  const length = 28 + dice.below(40);
  const letter = dice.choose("a", "b", "x", "0");
  const text = `${letter.repeat(length)}!`;
  const nested = dice.choose(
    `^(${letter}+)+$`,
    `^(${letter}*)*$`,
    `^(${letter}|${letter}${letter})+$`,
    `^(${letter}|${letter}?)+$`,
    `(${letter}*)*b{2,9}$`,
    `^((${letter}{1,9}){1,9}){1,9}$`,
    `^(.*${letter}){${12 + dice.below(12)}}$`,
    `(([${letter}-z]+)+)+@`,
    `${`${letter}?`.repeat(30)}${letter.repeat(30)}`,
    `(.+)+(.+)+(.+)+=`,
    `^${"(".repeat(40)}${letter}*${")*".repeat(40)}$`,
    `(${letter}{1000}){1000}`,
  );
  return { pattern: nested, text };
}

/** A shell pattern of many stars, and a text for it. */
export function hostileGlob(dice: Dice): { readonly pattern: string; readonly text: string } {
  const count = 10 + dice.below(60);
  return { pattern: `${"*a".repeat(count)}*b`, text: "a".repeat(60 + dice.below(3000)) };
}

/** Repeats a text until it has so many characters. */
export function long(text: string, length: number): string {
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}

/** Returns a text nested so deeply that a recursive parser overflows its stack. */
export function nested(open: string, inner: string, close: string, depth: number): string {
  return open.repeat(depth) + inner + close.repeat(depth);
}

/** A script for `sh -c` made to explode in time, memory, depth or output. */
export function hostileScript(dice: Dice): string {
  const { pattern, text } = hostilePattern(dice);
  const glob = hostileGlob(dice);
  const deep = 500 + dice.below(20_000);
  const many = 10_000 * (1 + dice.below(50));
  return dice.choose<() => string>(
    () => `echo '${text}' | grep -E '${pattern}'`,
    () => `echo '${text}' | sed -E 's/${pattern}/x/g'`,
    () => `[[ '${text}' =~ ${pattern} ]] && echo yes`,
    () => `echo '${text}' | awk '/${pattern}/ {print}'`,
    () => `x=${glob.text}; case $x in ${glob.pattern}) echo yes;; esac`,
    () => `x=${glob.text}; echo "\${x%%${glob.pattern}}" "\${x#${glob.pattern}}" "\${x//${glob.pattern}/y}"`,
    () => `touch /tmp/${glob.text.slice(0, 200)}; ls /tmp/${glob.pattern}`,
    () => `x=aaaaaaaaaaaaaaaa; while true; do x=$x$x; done`,
    () => `x=a; for i in $(seq 1 ${20 + dice.below(20)}); do x="$x$x"; done; echo \${#x}`,
    () => `yes ${long("y", 200)} | head -n ${many}`,
    () => `printf '%${many}000s' x | wc -c`,
    () => `head -c ${many}000 /dev/zero | tr '\\0' x | wc -c`,
    () => `seq 1 ${many}000 | sort -r | tail -1`,
    () => `for i in $(seq 1 ${many}); do echo ${long("line ", 300)}$i; done`,
    () => `i=0; while [ $i -lt ${many} ]; do echo x > /tmp/f$i; i=$((i+1)); done; find / | wc -l; ls -R / | wc -l`,
    () => `f(){ f; }; f`,
    () => `f(){ echo $(f); }; f`,
    () => `f(){ f | f & }; f`,
    () => `:(){ :|:& };:`,
    () => nested("$(", "echo x", ")", deep).replace(/^/, "echo "),
    () => nested("(", "echo x", ")", deep),
    () => nested("{ ", "echo x", "; }", deep),
    () => nested("if true; then ", "echo x", "; fi", deep),
    () => `echo $((${nested("(", "1", ")", deep)}))`,
    () => `echo $((${long("1+", deep)}1))`,
    () => `echo ${nested('"$(echo ', "x", ')"', deep)}`,
    () => `echo ${"{a,b}".repeat(10 + dice.below(30))}`,
    () => `echo {1..${many}}{1..${many}}`,
    () => `eval "$(printf 'echo %s;' $(seq 1 ${many}))"`,
    () => `echo 'sh /tmp/s' > /tmp/s; sh /tmp/s`,
    () => `echo '. /tmp/s' > /tmp/s; . /tmp/s`,
    () => `trap 'kill -TERM $$' TERM; kill -TERM $$; sleep 1`,
    () => `while :; do :; done`,
    () => `while :; do echo x >> /tmp/f; cat /tmp/f /tmp/f > /tmp/g; cat /tmp/g > /tmp/f; done`,
    () => `while :; do (sleep 1000 &) ; done`,
    () => `cat /dev/zero | tr '\\0' '\\n' | sort | uniq -c`,
    () => `cat /dev/urandom | base64 | head -c ${many}00`,
    () => `dd if=/dev/zero of=/tmp/x bs=1M count=${many}; cp /tmp/x /tmp/y`,
    () => `set -- $(seq 1 ${many}); shift 9999; echo $#; echo "$*$*$*$*"`,
    () => `x=$(seq 1 ${many}); for a in $x; do for b in $x; do for c in $x; do :; done; done; done`,
    () => `export A=${long("a", 100_000)}; env | sort; sh -c 'sh -c "sh -c env"'`,
    () => `echo '${nested("[", "1", "]", deep)}' | jq .`,
    () => `python3 -c 'while True: pass'`,
    () => `python3 -c 'x = "a" * ${many}0000; print(len(x * 1000))'`,
    () => `xargs -n1 sh -c 'echo $0 | xargs -n1 sh -c "echo $0"' < /etc/passwd`,
    () => `a[99999999]=1; echo \${a[@]} \${#a[@]}`,
    () => `tar cf - / | tar tf - | wc -l; tar cf /tmp/t.tar /; tar cf /tmp/u.tar / /tmp/t.tar`,
    () => `read x < /dev/zero; echo \${#x}`,
    () => `${long("a".repeat(9), 9)}=${long("b", many)} sh -c 'echo $aaaaaaaaa'`,
    () => `wget -qO- http://localhost:80 & nc -l -p 80 -e sh & while nc localhost 80; do :; done`,
  )();
}

/** YAML made to explode. `manifest` is the head of an object that takes any string map under `data`. */
export function hostileYaml(dice: Dice, name: string): string {
  const head = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;
  const many = 5_000 + dice.below(60_000);
  const deep = 100 + dice.below(50_000);
  const lines = (line: (at: number) => string, count: number) =>
    Array.from({ length: count }, (_, at) => line(at)).join("");
  return dice.choose<() => string>(
    () => `${head}data:\n${lines((at) => `  k${at}: v\n`, many)}`,
    () => `${head}data: {${lines((at) => `k${at}: v, `, many)}}\n`,
    () => `${head}data:\n${lines(() => `  same: v\n`, many)}`,
    () => `a0: &a0 [x,x]\n${lines((at) => `a${at + 1}: &a${at + 1} [*a${at},*a${at},*a${at},*a${at}]\n`, 30)}${head}`,
    () => `${head}data:\n  <<: [${lines(() => "{a: b}, ", many)}]\n`,
    () => `${head}x: ${nested("[", "", "]", deep)}\n`,
    () => `${head}x: ${nested("{a: ", "b", "}", deep)}\n`,
    () => `${head}x:\n${lines((at) => `${" ".repeat(at % 2000)}- a:\n`, 2000)}`,
    () => `${head}x: ${"- ".repeat(deep)}a\n`,
    () => `${head}x: "${long("\\u0041", many)}"\n`,
    () => lines((at) => `---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}-${at}}\n`, 3000),
    () => `${head}x: ${long("!!str ", many)}\n`,
    () => `${head}# ${long("#", 1_000_000)}\n`,
    () => `${head}? ${"? ".repeat(deep)}a\n`,
    () => `${head}data: {a: !!binary ${long("QUJD", many)}}\n`,
    () => `${head}x: 1${"0".repeat(many)}\n`,
    () => `${head}x: |\n${lines(() => `${" ".repeat(dice.below(40))}x\n`, many)}`,
    () => `%YAML 1.1\n${lines((at) => `%TAG !t${at}! tag:x\n`, many)}---\n${head}`,
  )();
}

/** JSON values made to explode: deep, wide, long. */
export function hostileJson(dice: Dice): string {
  const many = 10_000 + dice.below(200_000);
  const deep = 1_000 + dice.below(400_000);
  return dice.choose<() => string>(
    () => nested("[", "", "]", deep),
    () => nested('{"a":', "1", "}", deep),
    () => `[${long("0,", many)}0]`.replace(",,", ","),
    () => `{${Array.from({ length: many / 10 }, (_, at) => `"k${at}":${at}`).join(",")}}`,
    () => `1${"0".repeat(many)}`,
    () => `-0.${"0".repeat(many)}1e-${many}`,
    () => `"${long("\\u0000\\ud800", many)}"`,
    () => `{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}},"toString":1,"hasOwnProperty":null}`,
    () => `{${long('"a":1,', many)}"a":1}`,
  )();
}
