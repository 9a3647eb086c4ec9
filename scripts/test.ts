// `npm test` and `npm run check`: runs all checks in order, and prints a complete summary.
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium, findFirefox, findKubectls } from "../test/service/binaries.ts";
import { checkedProjects } from "./type-projects.ts";

interface Outcome {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** Titles of tests that failed beside others and passed alone. */
  readonly passedAlone?: readonly string[];
}

const root = fileURLToPath(new URL("..", import.meta.url));
const binaries = join(root, "node_modules/.bin");
const reports = mkdtempSync(join(tmpdir(), "sandbar-test-"));
/** By default vitest leaves one core free. The tests in workerd share the cores with workerd. */
const everyCore = "--maxWorkers=100%";
/** Tests of the service wait for half of their time. */
const workersOfService = `--maxWorkers=${availableParallelism() + 1}`;
/** Tests of time limits. */
const timeLimitTests = "test/service/hostile";
/** The number of failed files above which none is run again. */
const mostFilesAgain = 4;

interface Step {
  /** Names of steps, each of which can be run alone. */
  readonly names: readonly string[];
  run(): Promise<Outcome[]>;
}

/** The steps in order: fast checks come first, and steps that need the built Worker come after the build. */
const steps: readonly Step[] = [
  { names: ["format"], run: async () => [await command("format", ["biome", "format"])] },
  // Tests in workerd wait more than they compute, so they have workers of their own.
  {
    names: ["lint", "types", "unit", "workerd"],
    run: async () => (await Promise.all([pooled([...lint(), ...types(), ...unit()]), pooled(workerd())])).flat(),
  },
  { names: ["build"], run: async () => [await command("build", ["node", "scripts/build.ts"])] },
  {
    names: ["deploy"],
    run: async () => [
      await command("deploy, dry", ["wrangler", "deploy", "--dry-run", "--outdir", join(reports, "deploy")]),
    ],
  },
  { names: ["service"], run: async () => [...(await service()), ...requirements()] },
];

/** The number of random seeds of each simulation, beside those that once failed. `npm run check` runs few. */
const fewSeeds = "4";
const { few, requestedSteps } = read(process.argv.slice(2));
const names = steps.flatMap((step) => step.names);
const unknown = requestedSteps.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no step ${unknown.join(", ")}; there are ${names.join(", ")}.`);
  process.exit(1);
}
const outcomes: Outcome[] = [];
for (const step of steps) if (step.names.some(isWanted)) outcomes.push(...(await step.run()));
rmSync(reports, { recursive: true, force: true });
summarize(outcomes);

/** Reads names of steps, and `--few`. */
function read(words: readonly string[]): { few: boolean; requestedSteps: string[] } {
  return { few: words.includes("--few"), requestedSteps: words.filter((word) => word !== "--few") };
}

function summarize(all: readonly Outcome[]): void {
  console.log("");
  for (const { name, passed, failed, skipped, seconds, passedAlone } of all) {
    const counts = [`${passed} passed`, failed && `${failed} FAILED`, skipped && `${skipped} skipped`].filter(Boolean);
    console.log(`${failed > 0 ? "✗" : "✓"} ${name}: ${counts.join(", ")} (${seconds} s)`);
    for (const title of passedAlone ?? []) console.log(`!!! FAILED AT FIRST, and passed alone: ${title}`);
  }
  if (all.some(({ name }) => name === "service")) for (const line of skippedTests()) console.log(`!!! ${line}`);
  const sum = (of: "passed" | "failed") => all.reduce((total, outcome) => total + outcome[of], 0);
  const line = `${sum("passed")} passed, ${sum("failed")} failed`;
  console.log(line);
  const file = process.env.SANDBAR_TEST_SUMMARY;
  if (file) appendFileSync(file, `${line}\n`);
  process.exitCode = sum("failed") > 0 ? 1 : 0;
}

/** Returns the tests that were skipped because a program is missing. Prints the versions of programs that are there. */
function skippedTests(): string[] {
  const kubectls = findKubectls();
  const chromium = findChromium();
  if (kubectls.length > 0) console.log(`Tested with kubectl ${kubectls.map(({ version }) => version).join(", ")}.`);
  return [
    ...(kubectls.length > 0 ? [] : ["NOT TESTED with kubectl: none from 1.29 on is on PATH."]),
    ...(chromium ? [] : ["NOT TESTED in a browser: no Chromium is on PATH (CHROMIUM may name one)."]),
    ...(process.env.SANDBAR_TEST_FIREFOX === "1" && findFirefox()
      ? []
      : ["NOT TESTED in Firefox: see docs/testing.md."]),
  ];
}

/** Returns failures for missing programs that the environment requires: `SANDBAR_TEST_REQUIRE=kubectl,chromium`. */
function requirements(): Outcome[] {
  const availablePrograms: Readonly<Record<string, boolean>> = {
    kubectl: findKubectls().length > 0,
    chromium: findChromium() !== undefined,
    firefox: findFirefox() !== undefined,
  };
  const required = (process.env.SANDBAR_TEST_REQUIRE ?? "").split(",").filter(Boolean);
  return required.map((name) => outcome(`${name} is on the machine`, availablePrograms[name] === true, Date.now()));
}

function lint(): readonly (() => Promise<Outcome>)[] {
  return isWanted("lint") ? [() => command("lint", ["oxlint"])] : [];
}

function unit(): readonly (() => Promise<Outcome>)[] {
  return isWanted("unit") ? [() => vitest("unit", { projects: ["unit", "unit-spying"], flags: [everyCore] })] : [];
}

function workerd(): readonly (() => Promise<Outcome>)[] {
  return isWanted("workerd") ? [() => vitestTwice("workerd, cluster", { projects: ["workerd", "cluster"] })] : [];
}

function types(): readonly (() => Promise<Outcome>)[] {
  return isWanted("types") ? checkedProjects(root).map((project) => () => typesOf(project)) : [];
}

function isWanted(name: string): boolean {
  return requestedSteps.length === 0 || requestedSteps.includes(name);
}

/** Runs as many tasks at once as there are cores. Returns the outcomes in the order of the tasks. */
async function pooled(tasks: readonly (() => Promise<Outcome>)[]): Promise<Outcome[]> {
  const done: Outcome[] = [];
  const left = [...tasks.entries()];
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) done[next[0]] = await next[1]();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return done;
}

/**
 * Checks the types with the native compiler. test/tidy.test.ts needs the older one, which can be called from JavaScript. One checker is
 * enough, since each would repeat the work of the others, and another project uses the other core.
 */
function typesOf(project: string): Promise<Outcome> {
  return command(`types of ${project}`, ["../typescript-native/bin/tsc", "-p", project, "--checkers", "1"]);
}

async function command(name: string, words: readonly string[]): Promise<Outcome> {
  const startedMs = Date.now();
  return outcome(name, await execute(words), startedMs);
}

function outcome(name: string, isFine: boolean, startedMs: number): Outcome {
  return { name, passed: isFine ? 1 : 0, failed: isFine ? 0 : 1, skipped: 0, seconds: secondsSince(startedMs) };
}

/** Runs the tests of the service. Tests of time limits run alone. */
async function service(): Promise<Outcome[]> {
  return [
    await vitestTwice("service", {
      projects: ["service"],
      flags: [workersOfService, `--exclude=${timeLimitTests}/**`],
    }),
    await vitest("service, alone", { projects: ["service"], flags: [everyCore, timeLimitTests] }),
  ];
}

interface Vitest {
  /** Names of projects in vitest.config.ts. */
  readonly projects: readonly string[];
  readonly flags?: readonly string[];
}

/**
 * Runs vitest, and the files that failed once more, one after the other. These tests wait for real processes, and a busy machine may keep
 * one of them waiting for longer than its test does. The summary names each test that failed at first.
 */
async function vitestTwice(name: string, options: Vitest): Promise<Outcome> {
  const first = await vitest(name, options);
  const failedFiles = first.failures.map(({ file }) => file);
  if (first.failures.length === 0 || failedFiles.length > mostFilesAgain) return first;
  const again = await vitest(`${name}, again`, {
    projects: options.projects,
    flags: ["--maxWorkers=1", ...failedFiles],
  });
  const seconds = first.seconds + again.seconds;
  if (again.failed > 0) return { ...first, seconds };
  const passedAlone = first.failures.flatMap(({ titles }) => titles);
  return { ...first, passed: first.passed + first.failed, failed: 0, seconds, passedAlone };
}

interface Failure {
  readonly file: string;
  readonly titles: readonly string[];
}

/** Runs vitest, and counts the tests. */
async function vitest(
  name: string,
  { projects, flags = [] }: Vitest,
): Promise<Outcome & { failures: readonly Failure[] }> {
  const startedMs = Date.now();
  const report = join(reports, `${name.replaceAll(/[^a-z]+/g, "-")}.json`);
  const projectFlags = projects.flatMap((project) => ["--project", project]);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const isFine = await execute(["vitest", "run", ...projectFlags, ...flags, ...reporters]);
  try {
    const counts = JSON.parse(readFileSync(report, "utf8")) as Report;
    const { numPassedTests: passed, numFailedTests, numPendingTests: skipped, numFailedTestSuites } = counts;
    // A file that cannot be loaded, or an error outside of any test, does not count as a failed test.
    const failed = numFailedTests || (isFine ? 0 : Math.max(1, numFailedTestSuites));
    return { name, passed, failed, skipped, seconds: secondsSince(startedMs), failures: failuresOf(counts) };
  } catch {
    return { ...outcome(name, false, startedMs), failures: [] };
  }
}

function failuresOf({ testResults }: Report): Failure[] {
  const failed = testResults.filter(({ status }) => status === "failed");
  return failed.map(({ name, assertionResults }) => ({
    file: name,
    titles: assertionResults.filter(({ status }) => status === "failed").map(({ fullName }) => fullName),
  }));
}

/** The fields of vitest's report that are used. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    /** Path of the file. */
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

function execute([program = "", ...words]: readonly string[]): Promise<boolean> {
  console.log(`\n> ${program} ${words.join(" ")}`);
  const child = spawn(join(binaries, program), words, {
    cwd: root,
    stdio: "inherit",
    env: {
      ...(few ? { SANDBAR_SEEDS: fewSeeds } : {}),
      ...process.env,
      // The step `build` comes before the tests that need the built Worker.
      SANDBAR_SKIP_BUILD: "1",
      WRANGLER_SEND_METRICS: "false",
      // Compiler and lint are written in Go and keep most of what they allocate, so their garbage collection runs rarely.
      GOGC: "400",
    },
  });
  return new Promise((done) => {
    child.once("error", () => done(false));
    child.once("exit", (code) => done(code === 0));
  });
}

function secondsSince(startedMs: number): number {
  return Math.round((Date.now() - startedMs) / 1000);
}
