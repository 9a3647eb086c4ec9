// The verdicts of conformance tests: read from Ginkgo's report, and written as the page that tells of each.
import { readFileSync, writeFileSync } from "node:fs";
import { kubernetes } from "./build.ts";

/** By the test's whole name. */
export type Verdicts = Readonly<
  Record<string, { readonly passed: boolean; readonly seconds: number; readonly date: string }>
>;

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

/** What was skipped has none. */
export function readReport(path: string): Verdicts {
  const reports = JSON.parse(readFileSync(path, "utf8")) as readonly { readonly SpecReports: readonly Spec[] }[];
  const specs = reports.flatMap(({ SpecReports }) => SpecReports).filter(({ LeafNodeType }) => LeafNodeType === "It");
  const run = specs.filter(({ State }) => !["skipped", "pending"].includes(State));
  return Object.fromEntries(
    run.map(({ ContainerHierarchyTexts, LeafNodeText, State, RunTime, StartTime }) => {
      const name = [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(" ");
      const seconds = Math.round(RunTime / nanosPerSecond);
      return [name, { passed: State === "passed", seconds, date: StartTime.slice(0, 10) }];
    }),
  );
}

export function writePage(verdicts: Verdicts): void {
  writeFileSync(page, pageWith(readFileSync(page, "utf8"), verdicts));
}

/** What stands above the list is written by hand. */
export function pageWith(old: string, verdicts: Verdicts): string {
  const before = old.split(marker)[0] ?? "";
  const all = Object.entries(verdicts).sort(([a], [b]) => (a < b ? -1 : 1));
  const passed = all.filter(([, one]) => one.passed).length;
  const dates = [...new Set(all.map(([, { date }]) => date))].sort();
  const summary = `Kubernetes ${kubernetes}, ${dates.join(", ")}: ${passed} of ${all.length} pass.\n`;
  const rows = all.map(
    ([name, one]) => `| ${one.passed ? "pass" : "**fail**"} | ${one.seconds} s | ${shown(name)} |\n`,
  );
  return `${before}${marker}${summary}\n| verdict | time | test |\n| --- | --- | --- |\n${rows.join("")}`;
}

/** Without the labels that all of them have. */
function shown(name: string): string {
  return name.replace(/ \[(Conformance|NodeConformance)\]/g, "").replaceAll("|", "\\|");
}
