import { defineConfig } from "vitest/config";
export default defineConfig({
  test: {
    name: "unit",
    setupFiles: ["test/interpreters.ts", "/tmp/check-out/meter.ts"],
    include: ["test/**/*.test.ts"],
    exclude: ["test/workerd/**", "test/clients/**", "test/service/**"],
    isolate: false,
    testTimeout: 60_000,
    maxWorkers: 1,
    execArgv: (process.env.PROF ?? "").split(" ").filter(Boolean),
  },
});
