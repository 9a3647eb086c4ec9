// The rules of .gitignore: work that grows with rules and paths only, and the bound of a command.
import { expect, test } from "vitest";
import { globMatches, globOf } from "../../../../shared/shell/patterns/glob.ts";
import { IgnoredPaths, ignoreRules } from "../../../../web/terminal/shell/git/ignore.ts";
import { repositoryOptions } from "../../../../web/terminal/shell/git/repository.ts";
import { TerminalProcess } from "../../../../web/terminal/shell/budget.ts";
import { shellWith } from "../shell.ts";

function unitsOf(rules: string, path: string): { isIgnored: boolean; units: number } {
  let units = 0;
  const spend = (taken: number) => {
    units += taken;
    return true;
  };
  const ignored = new IgnoredPaths(() => undefined, ignoreRules(rules, ".git/info/exclude"), spend);
  return { isIgnored: ignored.isIgnored(path), units };
}

test.each([
  ["of many stars", `${"*a".repeat(40)}b`, "a".repeat(400)],
  ["of many folders", `${"**/*a/".repeat(40)}b`, `${"a/".repeat(200)}c`],
  ["of folders and stars", `/${"**/a*a*a/".repeat(30)}b`, `${"aaaaaaaa/".repeat(100)}c`],
  ["of many sets", `${"[a-z]*".repeat(60)}!`, "abc".repeat(200)],
  ["of wide stars", "?*".repeat(200), "a".repeat(150)],
])("a pattern %s takes work that is at most pattern times path", (_, rule, path) => {
  const { isIgnored, units } = unitsOf(rule, path);
  expect(isIgnored).toBe(false);
  expect(units).toBeLessThan(100 + 0.1 * rule.length * path.length);
});

test("a set of many characters costs as much as a short one", () => {
  const letters = Array.from({ length: 20_000 }, (_, at) => String.fromCodePoint(0x4e00 + 2 * (at % 10_000)));
  const glob = globOf(`*[${letters.join("")}]*x`);
  const [set] = glob.filter((token) => typeof token === "object");
  expect(set?.has(0x4e00)).toBe(true);
  expect(set?.has(0x4e01)).toBe(false);
  const secondsOf = (pattern: string) => {
    const start = process.cpuUsage();
    expect(globMatches(globOf(pattern), "b".repeat(300_000), () => true)).toBe(false);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6;
  };
  secondsOf("*[cd]*x");
  expect(secondsOf(`*[${letters.join("")}]*x`)).toBeLessThan(0.1 + 30 * secondsOf("*[cd]*x"));
});

test("rules that take too much work end the command", async () => {
  let left = 100;
  const spend = (units: number) => {
    left -= units;
    if (left < 0) throw new Error("spent");
    return true;
  };
  const ignored = new IgnoredPaths(() => "*a*a*b\n".repeat(1000), [], spend);
  expect(() => ignored.isIgnored("a".repeat(100))).toThrow("spent");
  const { shell } = shellWith();
  const process = new TerminalProcess(new AbortController().signal);
  const { spend: charged } = repositoryOptions({ shell, process });
  expect(charged(1)).toBe(true);
  expect(() => charged(1e9)).toThrow("spent");
});

test("an ignored folder's own rules do not bring its files back, and a lower folder's rules win", () => {
  const files: Readonly<Record<string, string>> = {
    ".gitignore": "out/\n*.log\n",
    "out/.gitignore": "!*\n",
    "in/.gitignore": "!a.log\n",
  };
  const ignored = new IgnoredPaths(
    (path) => files[path],
    [],
    () => true,
  );
  expect(["out/a", "a.log", "in/a.log", "in/b.log", "in/out"].filter((path) => ignored.isIgnored(path))).toEqual([
    "out/a",
    "a.log",
    "in/b.log",
  ]);
});
