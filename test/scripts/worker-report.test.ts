// The build's report: the size and the start of a Worker.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkReport, describeReport, workerReport } from "../../scripts/worker-report.ts";

test("a Worker is measured with all of its modules, and started with the platform's modules", () => {
  const folder = mkdtempSync(join(tmpdir(), "sandbar-report-"));
  const padding = "x".repeat(100_000);
  const text = `import { DurableObject } from "cloudflare:workers";\nexport class One extends DurableObject {}\n//${padding}`;
  writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
  writeFileSync(join(folder, "index.js"), text);
  const alone = workerReport(folder);
  // Bytes that do not compress.
  const module = crypto.getRandomValues(new Uint8Array(50_000));
  writeFileSync(join(folder, "python.wasm"), module);
  writeFileSync(join(folder, "index.js.map"), module);
  const complete = workerReport(folder);
  rmSync(folder, { recursive: true });
  expect(alone.bytes).toBe(text.length);
  expect(alone.compressedBytes).toBeLessThan(1000);
  expect(alone.startMs).toBeGreaterThan(0);
  expect(complete.bytes).toBe(text.length + module.length);
  expect(complete.compressedBytes).toBeGreaterThan(50_000);
  expect(complete.compressedBytes).toBeLessThan(52_000);
});

test("the report has the measurements and the limits, and what is too large is refused", () => {
  const report = { bytes: 4_000_000, compressedBytes: 612_345, startMs: 87.6 };
  expect(describeReport(report)).toBe(
    "Worker: 4000 KB in all modules, 612 KB compressed (of 2800), starts in 88 ms (of 400)",
  );
  checkReport(report);
  expect(() => checkReport({ ...report, compressedBytes: 2_800_001 })).toThrow(/too large/);
  expect(() => checkReport({ ...report, bytes: 70_000_000 })).toThrow(/too large/);
});
