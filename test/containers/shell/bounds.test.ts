// Programs with loops of their own: each ends within the container's bounds, without an internal error.
import { expect, test } from "vitest";
import { inImage } from "./in-image.ts";

test.each([
  `jq -n 'reduce range(60) as $i ("x"; . + .)'`,
  `jq -n 'reduce range(60) as $i ([1]; [., .])'`,
  `jq -n 'reduce range(60) as $i ([1]; [., .]) | tojson | length'`,
  `jq -n 'reduce range(60) as $i ([1]; [., .]) | . == .'`,
  `jq -n 'reduce range(9000) as $i ([]; [.])'`,
  `jq -n '[range(1e9)]'`,
  `jq -n '"x" * 1e9'`,
  `jq -n '"x" | until(false; . *= 9)'`,
  `jq -n '"a" * 1e4 | gsub("a"; "a" * 1e4)'`,
  `jq -n '"\\(range(1e9))\\(range(1e9))"'`,
  `jq -n '. as ${"[".repeat(3000)}$a | 1'`,
  `seq 9000 | paste ${"- ".repeat(3000)}`,
  `jq -n 'def f: f; f'`,
  `jq -n '[limit(1e9; repeat(1))] | length'`,
  `jq -n '${"[".repeat(3000)}'`,
  `awk 'BEGIN { while (1) s = s "x" s }'`,
  `awk 'BEGIN { while (1) i++ }'`,
  `awk 'function f() { f() } BEGIN { f() }'`,
  `awk 'BEGIN { $100000000 = 1 }'`,
  `awk 'BEGIN { printf "%999999999999d", 1 }'`,
  `awk 'BEGIN { for (i = 0; 1; i++) a[i] = i }'`,
  `echo x | sed ':a;s/x/xx/;ba'`,
  `echo x | sed ':a;s/x/xx/g;ba'`,
  `echo x | sed ':a;G;h;ba'`,
  `expr ${"1 + ".repeat(5000)}1`,
  `seq 1 999999999999 | wc -l`,
  `for ((;;)); do :; done`,
  `echo {1..999999999}`,
  `echo {1..9999}{1..9999}`,
  `printf '%s' {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}`,
  `x=x; x=y; y=x; echo $((x))`,
  `head -c 1000000 /dev/zero | gzip -c | gunzip | gzip -c; find / -exec find / \\;`,
  `openssl rand -hex 99999999`,
])("N1: %s ends or stops at its work limit", (script) => {
  const { run } = inImage("my/app", ["bash", "-c", script]);
  expect(run.work).toBeLessThan(200_000);
});
