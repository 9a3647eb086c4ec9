// `npm test` and `npm run check`: everything that can be checked, one step after the other, and a summary that leaves nothing unsaid.
import { spawn } from "node:child_process";
import { appendFileSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium, findKubectls } from "../test/service/binaries.ts";

interface Outcome {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const binaries = join(root, "node_modules/.bin");
const reports = mkdtempSync(join(tmpdir(), "sandbar-test-"));
/** Left to itself vitest keeps one core free, which the tests in workerd share with what they test. */
const everyCore = "--maxWorkers=100%";
/** Tests of the service wait for it half of their time. */
const workersOfService = `--maxWorkers=${availableParallelism() + 1}`;
/** Tests that the clock decides. */
const measured = "test/service/hostile";

interface Step {
  /** Each of them alone may be asked for. */
  readonly names: readonly string[];
  run(): Promise<Outcome[]>;
}

/** In this order: what is quick to say what is wrong comes first, and what needs the built Worker after the build. */
const steps: readonly Step[] = [
  { names: ["format"], run: async () => [await command("format", ["biome", "format"])] },
  // Those in workerd wait more than they work, so they have lanes of their own.
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

/** Lives of each simulation, beside those that once failed: `npm run check` asks for few of them. */
const fewSeeds = "4";
const { few, wanted } = read(process.argv.slice(2));
const names = steps.flatMap((step) => step.names);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`There is no step ${unknown.join(", ")}; there are ${names.join(", ")}.`);
  process.exit(1);
}
const outcomes: Outcome[] = [];
for (const step of steps) if (step.names.some(isWanted)) outcomes.push(...(await step.run()));
rmSync(reports, { recursive: true, force: true });
summarize(outcomes);

/** Names of steps, and `--few`. */
function read(words: readonly string[]): { few: boolean; wanted: string[] } {
  return { few: words.includes("--few"), wanted: words.filter((word) => word !== "--few") };
}

function summarize(all: readonly Outcome[]): void {
  console.log("");
  for (const { name, passed, failed, skipped, seconds } of all) {
    const counts = [`${passed} passed`, failed && `${failed} FAILED`, skipped && `${skipped} skipped`].filter(Boolean);
    console.log(`${failed > 0 ? "✗" : "✓"} ${name}: ${counts.join(", ")} (${seconds} s)`);
  }
  if (all.some(({ name }) => name === "service")) for (const line of missing()) console.log(`!!! ${line}`);
  const sum = (of: "passed" | "failed") => all.reduce((total, outcome) => total + outcome[of], 0);
  const line = `${sum("passed")} passed, ${sum("failed")} failed`;
  console.log(line);
  const file = process.env.SANDBAR_TEST_SUMMARY;
  if (file) appendFileSync(file, `${line}\n`);
  process.exitCode = sum("failed") > 0 ? 1 : 0;
}

/** What could not be tested, for want of a program. */
function missing(): string[] {
  const kubectls = findKubectls();
  const chromium = findChromium();
  if (kubectls.length > 0) console.log(`Tested with kubectl ${kubectls.map(({ version }) => version).join(", ")}.`);
  return [
    ...(kubectls.length > 0 ? [] : ["NOT TESTED with kubectl: none from 1.29 on is on PATH."]),
    ...(chromium ? [] : ["NOT TESTED in a browser: no Chromium is on PATH (CHROMIUM may name one)."]),
  ];
}

/** `SANDBAR_TEST_REQUIRE=kubectl,chromium`: a program of these that is missing is a failure. */
function requirements(): Outcome[] {
  const there: Readonly<Record<string, boolean>> = {
    kubectl: findKubectls().length > 0,
    chromium: findChromium() !== undefined,
  };
  const required = (process.env.SANDBAR_TEST_REQUIRE ?? "").split(",").filter(Boolean);
  return required.map((name) => outcome(`${name} is on the machine`, there[name] === true, Date.now()));
}

function lint(): readonly (() => Promise<Outcome>)[] {
  return isWanted("lint") ? [() => command("lint", ["oxlint"])] : [];
}

function unit(): readonly (() => Promise<Outcome>)[] {
  return isWanted("unit") ? [() => vitest("unit", { projects: ["unit", "unit-spying"], flags: [everyCore] })] : [];
}

function workerd(): readonly (() => Promise<Outcome>)[] {
  return isWanted("workerd") ? [() => vitest("workerd, cluster", { projects: ["workerd", "cluster"] })] : [];
}

function types(): readonly (() => Promise<Outcome>)[] {
  return isWanted("types") ? projects().map((project) => () => typesOf(project)) : [];
}

function isWanted(name: string): boolean {
  return wanted.length === 0 || wanted.includes(name);
}

/** Every tsconfig.json is a project of its own. */
function projects(): string[] {
  return globSync(["tsconfig.json", "*/tsconfig.json", "*/*/tsconfig.json"], {
    cwd: root,
    exclude: ["node_modules/**", "dist/**"],
  }).sort();
}

/** As many at once as there are cores; the outcomes in the order of the tasks. */
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
 * The compiler in native code; test/tidy.test.ts needs the one before it, which can be called from JavaScript. Each of several
 * checkers would work out again what the others know, and another project has the other core.
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

/** What the clock decides has no other test of the service beside it. */
async function service(): Promise<Outcome[]> {
  return [
    await vitest("service", { projects: ["service"], flags: [workersOfService, `--exclude=${measured}/**`] }),
    await vitest("service, alone", { projects: ["service"], flags: [everyCore, measured] }),
  ];
}

interface Vitest {
  /** Of vitest.config.ts. */
  readonly projects: readonly string[];
  readonly flags?: readonly string[];
}

/** Counts the tests. */
async function vitest(name: string, { projects, flags = [] }: Vitest): Promise<Outcome> {
  const startedMs = Date.now();
  const report = join(reports, `${name.replaceAll(/[^a-z]+/g, "-")}.json`);
  const projectFlags = projects.flatMap((one) => ["--project", one]);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const isFine = await execute(["vitest", "run", ...projectFlags, ...flags, ...reporters]);
  try {
    const counts = JSON.parse(readFileSync(report, "utf8")) as Report;
    const { numPassedTests: passed, numFailedTests, numPendingTests: skipped, numFailedTestSuites } = counts;
    // A file that could not even be read, or an error outside of any test, fails no test.
    const failed = numFailedTests || (isFine ? 0 : Math.max(1, numFailedTestSuites));
    return { name, passed, failed, skipped, seconds: secondsSince(startedMs) };
  } catch {
    return outcome(name, false, startedMs);
  }
}

/** What is read of vitest's report. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly numPendingTests: number;
}

function execute([program = "", ...words]: readonly string[]): Promise<boolean> {
  console.log(`\n> ${program} ${words.join(" ")}`);
  const child = spawn(join(binaries, program), words, {
    cwd: root,
    stdio: "inherit",
    // The step before has built. Compiler and lint are Go: what they allocate they mostly keep, so that they collect it seldom.
    env: {
      ...(few ? { SANDBAR_SEEDS: fewSeeds } : {}),
      ...process.env,
      SANDBAR_SKIP_BUILD: "1",
      WRANGLER_SEND_METRICS: "false",
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
