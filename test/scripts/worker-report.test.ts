// The build's report: the size and the start of a Worker.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeReport, workerReport } from "../../scripts/worker-report.ts";

test("a Worker is measured compressed, and started with the platform's modules", () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbar-report-"));
  const path = join(folder, "worker.mjs");
  const padding = "x".repeat(100_000);
  writeFileSync(
    path,
    `import { DurableObject } from "cloudflare:workers";\nexport class One extends DurableObject {}\n//${padding}`,
  );
  const { compressedBytes, startMs } = workerReport(path);
  rmSync(folder, { recursive: true });
  expect(compressedBytes).toBeGreaterThan(100);
  expect(compressedBytes).toBeLessThan(1000);
  expect(startMs).toBeGreaterThan(0);
});

test("the report has the measurements and the limits", () => {
  expect(describeReport({ compressedBytes: 612_345, startMs: 87.6 })).toBe(
    "Worker: 612 KB compressed (of 3000), starts in 88 ms (of 400)",
  );
});
