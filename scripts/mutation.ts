// `npm run mutation -- <room>`: changes each line of a room and checks whether a test fails. Surviving mutants are listed in
// dist/mutation/<room>.html; `docs/testing.md` has the figures and the accepted survivors.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./build.ts";

interface Room {
  /** Globs of the sources that are changed. */
  readonly sources: readonly string[];
  /** Globs of the tests that must fail. */
  readonly tests: readonly string[];
}

const rooms: Readonly<Record<string, Room>> = {
  store: { sources: ["worker/store/*.ts"], tests: ["test/store/*.test.ts"] },
  registry: { sources: ["worker/registry/*.ts"], tests: ["test/registry/*.test.ts"] },
  runtime: { sources: ["worker/runtime/*.ts"], tests: ["test/runtime/*.test.ts"] },
  quota: {
    sources: [
      "worker/admission/resource-quota.ts",
      "worker/kinds/core/resource-quota/*.ts",
      // The golden file tests the kind's own rules.
      "!worker/kinds/core/resource-quota/resource-quota.ts",
    ],
    tests: ["test/admission/resource-quota/*.test.ts"],
  },
  access: { sources: ["worker/access/*.ts"], tests: ["test/access/*.test.ts"] },
  edge: {
    sources: [
      "worker/edge/{address,credentials,frame-policy,mac,sandbox-id,sandbox-proxy,tokens}.ts",
      "worker/edge/control-api/sandbox-tokens.ts",
    ],
    tests: [
      "test/edge/{control-api,credential-forms,credentials,sandbox-proxy,sandbox-proxy-passing,sandbox-tokens}.test.ts",
    ],
  },
  watch: {
    sources: ["worker/api/verbs/{list,list-forms,list-stream,watch,watch-spec}.ts"],
    tests: [
      "test/api/{list,list-kinds,list-reading,watch,watch-forms,watch-kinds}.test.ts",
      "test/api/custom/conversion.test.ts",
    ],
  },
};

/** The required percentage of killed mutants, among those that a test reaches. */
const killedAtLeast = 85;

const name = process.argv[2] ?? "";
const room = rooms[name];
if (!room) {
  console.error(`npm run mutation -- <room>: one of ${Object.keys(rooms).join(", ")}.`);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), "sandbar-mutation-"));
const configuration = join(folder, "stryker.config.json");
writeFileSync(
  configuration,
  JSON.stringify({
    mutate: room.sources,
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    vitest: { configFile: "vitest.mutation.config.ts", related: false },
    coverageAnalysis: "perTest",
    ignoreStatic: true,
    concurrency: 2,
    timeoutMS: 20_000,
    tempDirName: ".stryker",
    reporters: ["progress-append-only", "clear-text", "html", "json"],
    clearTextReporter: { allowColor: false, reportTests: false, reportScoreTable: true },
    htmlReporter: { fileName: `dist/mutation/${name}.html` },
    jsonReporter: { fileName: `dist/mutation/${name}.json` },
    // Texts for people are not tested one by one.
    mutator: { excludedMutations: ["StringLiteral"] },
    thresholds: { high: killedAtLeast, low: killedAtLeast, break: null },
    ignorePatterns: ["dist", ".sandbar", "bench", "docs", "web"],
  }),
);
const { status } = spawnSync(join(root, "node_modules/.bin/stryker"), ["run", configuration], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, SANDBAR_MUTATION_TESTS: room.tests.join(" ") },
});
rmSync(folder, { recursive: true, force: true });
process.exitCode = status ?? 1;
