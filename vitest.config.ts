import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** They put a spy in the place of what a module exports, which only modules that Vite has rewritten let them do. */
const spying = ["test/cluster/run-cache.test.ts"];

/**
 * Files that take long but are short texts, the longest first. Where nothing is remembered of earlier runs, vitest starts the longest texts
 * first, and would end with one of these beside idle workers.
 */
const longest = [
  "test/simulation/simulation.test.ts",
  "test/service/incidents/incidents.test.ts",
  "test/service/embed/embed.test.ts",
  "test/service/tutorials/tutorials.test.ts",
  "test/service/local-package.test.ts",
  "test/service/kubectl-web/kubectl-web.test.ts",
  "test/service/supervision.test.ts",
  "test/service/kills.test.ts",
  "test/service/kills-states.test.ts",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(name));
      return at < 0 ? longest.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "unit",
          setupFiles: ["test/interpreters.ts"],
          include: ["test/**/*.test.ts"],
          exclude: ["test/workerd/**", "test/clients/**", "test/service/**", ...spying],
          // Files share the modules they import: importing them for each took longer than the tests.
          isolate: false,
          // Node reads the modules as they are. Rewritten by Vite, each use of what another module exports calls a getter, which is more
          // than a quarter of what whole clusters cost. No test here mocks modules, or imports what Node cannot read (TSX, CSS).
          experimental: { viteModuleRunner: false, nodeLoader: false },
          // On a busy machine: a test that fails this way hangs, it is not slow.
          testTimeout: 60_000,
        },
      },
      { test: { name: "unit-spying", setupFiles: ["test/interpreters.ts"], include: spying, testTimeout: 60_000 } },
      inWorkerd("workerd", "test/workerd/worker.ts", "test/workerd/*.test.ts"),
      {
        test: { name: "clients", include: ["test/clients/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 },
      },
      inWorkerd("cluster", "test/workerd/cluster/worker.ts", "test/workerd/cluster/*.test.ts"),
      {
        test: {
          name: "service",
          include: ["test/service/**/*.test.ts"],
          globalSetup: "test/service/global-setup.ts",
          // Real processes on a machine that may be busy: a test that fails this way hangs, it is not slow.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 30_000, interval: 100 } },
        },
      },
    ],
  },
});

/** Tests that run in workerd beside a Worker: the edge with a fake cluster, or the whole with a real one. */
function inWorkerd(name: string, main: string, include: string) {
  const worker = cloudflareTest(async () => ({
    main,
    miniflare: {
      compatibilityDate: "2026-09-01",
      compatibilityFlags: ["nodejs_compat", "enable_request_signal"],
      durableObjects: {
        CLUSTERS: { className: "ClusterObject", useSQLite: true },
        TENANTS: { className: "TenantObject", useSQLite: true },
      },
      d1Databases: { DB: "sandbar" },
      r2Buckets: { FILES: "sandbar" },
      serviceBindings: { ASSETS: () => new Response("<p>a page</p>") },
      bindings: {
        SANDBAR_SECRET: "a secret of a test, 32 characters or more",
        SANDBAR_PLAN: "unmetered",
        MIGRATIONS: await readD1Migrations("migrations"),
      },
    },
  }));
  // Files share the Worker and its modules: importing those for each took longer than the tests.
  return { plugins: [worker], test: { name, include: [include], isolate: false, testTimeout: 60_000 } };
}
