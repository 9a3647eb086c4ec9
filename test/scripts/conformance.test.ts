// The page of conformance tests is made of Ginkgo's reports.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { must } from "../../shared/base/assert.ts";
import { pageWith, pageWithOlder, readReport, type Verdicts } from "../../scripts/conformance/verdicts.ts";

const spec = (text: string, state: string, more: object = {}) => ({
  LeafNodeType: "It",
  LeafNodeText: `${text} [Conformance]`,
  ContainerHierarchyTexts: ["[sig-a] B"],
  State: state,
  RunTime: 2_400_000_000,
  StartTime: "2026-01-02T03:04:05Z",
  ...more,
});

test("the report has the verdicts of tests that ran, and the page keeps hand-written text", () => {
  const folder = mkdtempSync(join(tmpdir(), "conformance-"));
  const path = join(folder, "report.json");
  const SpecReports = [
    spec("one", "passed"),
    spec("two | 2", "timedout"),
    spec("three", "skipped"),
    spec("four", "passed", { LeafNodeType: "BeforeSuite" }),
  ];
  writeFileSync(path, JSON.stringify([{ SpecReports }]));
  const verdicts = readReport(path);
  const again = readReport(path, true);
  rmSync(folder, { recursive: true });
  expect(Object.keys(verdicts)).toEqual(["[sig-a] B one [Conformance]", "[sig-a] B two | 2 [Conformance]"]);
  expect(pageWith("# By hand\n\n## Verdicts\nold", verdicts)).toBe(
    "# By hand\n\n## Verdicts\nKubernetes v1.36.3, 2026-01-02: 1 of 2 pass.\n\n| verdict | time | test |\n| --- | --- | --- |\n" +
      "| pass | 2 s | [sig-a] B one |\n| **fail** | 2 s | [sig-a] B two \\| 2 |\n",
  );
  const firstVerdict = must(again["[sig-a] B one [Conformance]"], "the first");
  const mixed = { ...verdicts, "[sig-a] B two | 2 [Conformance]": firstVerdict };
  expect(pageWith("", mixed)).toContain("2 of 2 pass, 1 of them when they were run again without the others.\n");
  expect(pageWith("", mixed)).toContain("| pass, run again | 2 s | [sig-a] B two");
  expect(pageWith("# By hand\n\n## Verdicts\nold", {}, verdicts)).toContain(
    "\n## Tests beyond conformance\nKubernetes v1.36.3, 2026-01-02: 1 of 2 pass. ",
  );
  expect(pageWith("", {}, verdicts)).toMatch(
    /\| a \| 1 \| 2 \|\n\n\| fails \| why \|\n\| --- \| --- \|\n\| \[sig-a\] B two \\\| 2 \| not looked into \|\n$/,
  );
});

test("the page has a sum and the failures of each older release, and keeps those of the others", () => {
  const verdict = (passed: boolean) => ({ passed, seconds: 1, date: "2026-01-02" });
  const verdicts: Verdicts = { "[sig-a] B one [Conformance]": verdict(true), "[sig-a] B two": verdict(false) };
  const page = "# By hand\n\n## Older releases\nText.\n\n## Verdicts\nold";
  const first = pageWithOlder(page, "1.35", verdicts);
  const header = "| release | date | result |\n| --- | --- | --- |\n";
  const newer = "| 1.35 (v1.35.4) | 2026-01-02 | 1 of 2 pass |\n";
  const failures = "\n| release | fails | why |\n| --- | --- | --- |\n| 1.35 | [sig-a] B two | not looked into |\n";
  expect(first).toBe(`# By hand\n\n## Older releases\nText.\n\n${header}${newer}${failures}\n## Verdicts\nold`);
  const older = "| 1.33 (v1.33.13) | 2026-01-02 | 1 of 1 pass |\n";
  const second = pageWithOlder(first, "1.33", { "[sig-a] B one": verdict(true) });
  expect(second).toBe(
    `# By hand\n\n## Older releases\nText.\n\n${header}${older}${newer}${failures}\n## Verdicts\nold`,
  );
  expect(pageWithOlder(second, "1.33", { "[sig-a] B one": verdict(true) })).toBe(second);
});
