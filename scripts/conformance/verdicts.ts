// Reads the verdicts of conformance tests from Ginkgo's report, and writes the page that lists them.
import { readFileSync, writeFileSync } from "node:fs";
import { kubernetes } from "./build.ts";
import { causeOf } from "./causes.ts";

interface Verdict {
  readonly passed: boolean;
  readonly seconds: number;
  readonly date: string;
  /** Whether the test was run again with a focus, after a run of all. */
  readonly again?: true;
}

/** Verdicts by the full name of the test. */
export type Verdicts = Readonly<Record<string, Verdict>>;

interface Spec {
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly State: string;
  readonly RunTime: number;
  readonly StartTime: string;
}

const page = "docs/conformance.md";
const marker = "## Verdicts\n";
const nanosPerSecond = 1e9;

/** Reads a report. Skipped and interrupted tests have no verdict. `isAgain`: only some tests were run. */
export function readReport(path: string, isAgain = false): Verdicts {
  const reports = JSON.parse(readFileSync(path, "utf8")) as readonly { readonly SpecReports: readonly Spec[] }[];
  const specs = reports.flatMap(({ SpecReports }) => SpecReports).filter(({ LeafNodeType }) => LeafNodeType === "It");
  const run = specs.filter(({ State }) => !["skipped", "pending", "interrupted"].includes(State));
  return Object.fromEntries(
    run.map(({ ContainerHierarchyTexts, LeafNodeText, State, RunTime, StartTime }) => {
      const name = [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(" ");
      const seconds = Math.round(RunTime / nanosPerSecond);
      const again = isAgain ? ({ again: true } as const) : {};
      return [name, { passed: State === "passed", seconds, date: StartTime.slice(0, 10), ...again }];
    }),
  );
}

export function writePage(verdicts: Verdicts, furtherVerdicts: Verdicts): void {
  writeFileSync(page, pageWith(readFileSync(page, "utf8"), verdicts, furtherVerdicts));
}

/** Returns the page with a new list. The text above the list is written by hand. `furtherVerdicts`: those of tests beyond conformance. */
export function pageWith(old: string, verdicts: Verdicts, furtherVerdicts: Verdicts = {}): string {
  const before = old.split(marker)[0] ?? "";
  const all = sorted(verdicts);
  const again = all.filter(([, verdict]) => verdict.again).length;
  const repeatNote = again === 0 ? "" : `, ${again} of them when they were run again without the others`;
  const rows = all.map(([name, verdict]) => `| ${verdictOf(verdict)} | ${verdict.seconds} s | ${shortName(name)} |\n`);
  const list = `| verdict | time | test |\n| --- | --- | --- |\n${rows.join("")}`;
  return `${before}${marker}${summary(all)}${repeatNote}.\n\n${list}${beyond(sorted(furtherVerdicts))}`;
}

type Listed = readonly (readonly [name: string, verdict: Verdict])[];

function sorted(verdicts: Verdicts): Listed {
  return Object.entries(verdicts).sort(([a], [b]) => (a < b ? -1 : 1));
}

function summary(all: Listed): string {
  const dates = [...new Set(all.map(([, { date }]) => date))].sort();
  return `Kubernetes ${kubernetes}, ${dates.join(", ")}: ${passedOf(all)} of ${all.length} pass`;
}

function passedOf(all: Listed): number {
  return all.filter(([, verdict]) => verdict.passed).length;
}

function verdictOf({ passed, again }: Verdict): string {
  return `${passed ? "pass" : "**fail**"}${again ? ", run again" : ""}`;
}

/** Returns the sums by special interest group, and the failures. */
function beyond(furtherTests: Listed): string {
  if (furtherTests.length === 0) return "";
  const groups = Map.groupBy(furtherTests, ([name]) => /\[sig-([^\]]+)\]/.exec(name)?.[1] ?? "none");
  const sums = [...groups].map(([group, all]) => `| ${group} | ${passedOf(all)} | ${all.length} |\n`);
  const failed = furtherTests.filter(([, verdict]) => !verdict.passed);
  const rows = failed.map(([name]) => `| ${shortName(name)} | ${causeOf(name)} |\n`);
  return `
## Tests beyond conformance
${summary(furtherTests)}. The last verdict of each counts; tests that upstream skips here have none.

| group | pass | of |
| --- | --- | --- |
${sums.join("")}
| fails | why |
| --- | --- |
${rows.join("")}`;
}

/** Returns a test's name without the labels that all tests have. */
function shortName(name: string): string {
  return name.replace(/ \[(Conformance|NodeConformance)\]/g, "").replaceAll("|", "\\|");
}
