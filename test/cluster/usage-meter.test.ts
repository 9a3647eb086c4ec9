// The usage counts of a sandbox, and when they are reported.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import type { UsageReport } from "../../shared/contract/tenant-object.ts";
import { UsageMeter } from "../../worker/cluster/figures/usage-meter.ts";

function begin({ wantsReady = false, isReady = true } = {}) {
  const at = { nowMs: 1_000_000, read: 0, written: 0, isFailing: false };
  const reports: UsageReport[] = [];
  const waits: (() => void)[] = [];
  const under: Promise<unknown>[] = [];
  const meter = new UsageMeter({
    reportsTo: () => ({
      id: "a",
      tenant: () => ({
        report: async (report) => {
          if (at.isFailing) throw new Error("the tenant's object does not answer");
          reports.push(report);
          return { wantsReady };
        },
      }),
    }),
    nowMs: () => at.nowMs,
    rowsRead: () => at.read,
    rowsWritten: () => at.written,
    bytes: () => 4096,
    isReady: () => isReady,
    wait: () => new Promise((done) => waits.push(done)),
    waitUntil: (promise) => void under.push(promise),
  });
  const passes = async () => {
    // Bodies are read meanwhile.
    await new Promise((done) => void setImmediate(done));
    at.nowMs += limits.usageReportMs;
    for (const done of waits.splice(0)) done();
    await Promise.all(under.splice(0));
  };
  return { at, meter, reports, waits, passes };
}

const fine = () => new Response("{}");

describe("a meter", () => {
  test("J11: requests within some seconds are reported together once, and an idle meter waits for nothing", async () => {
    const { at, meter, reports, waits, passes } = begin();
    expect(waits).toHaveLength(0);
    for (let round = 0; round < 5; round++) meter.countResponse(fine());
    at.read = 30;
    at.written = 4;
    await passes();
    expect(reports).toMatchObject([{ id: "a", requests: 5, rowsRead: 30, rowsWritten: 4, bytes: 4096, limits: [] }]);
    expect(waits).toHaveLength(0);
    at.written = 5;
    meter.countResponse(fine());
    await passes();
    expect(reports[1]).toMatchObject({ requests: 1, rowsRead: 0, rowsWritten: 1 });
  });

  test("J11: an alarm reports usage that is old enough, and waits for nothing", async () => {
    const { at, meter, reports, waits, passes } = begin();
    meter.countAlarm();
    meter.countAlarm();
    await passes();
    expect([reports.length, waits.length]).toEqual([1, 0]);
    at.nowMs += limits.usageReportMs;
    meter.countAlarm();
    await passes();
    expect(reports.map(({ requests }) => requests)).toEqual([1, 2]);
  });

  test("J12: if the tenant's object fails, nothing is thrown, and the usage is added to the next report", async () => {
    const { at, meter, reports, passes } = begin();
    at.isFailing = true;
    at.written = 7;
    meter.countResponse(fine());
    await passes();
    at.isFailing = false;
    meter.countResponse(fine());
    await passes();
    expect(reports).toMatchObject([{ requests: 2, rowsWritten: 7 }]);
  });

  test("J4: an exceeded limit is reported by name, and readiness as long as a client waits for it", async () => {
    const message = "exceeded limit of this sandbox: requested: objects=1, used: objects=5, limited: objects=5";
    const { meter, reports, passes } = begin({ wantsReady: true });
    meter.countResponse(new Response(JSON.stringify({ message }), { status: 429 }));
    meter.countResponse(new Response("Too many requests", { status: 429 }));
    await passes();
    expect(reports[0]).toMatchObject({ limits: ["objects", "requestsPerSecond"], isReady: true });
    const nobody = begin();
    nobody.meter.countResponse(fine());
    await nobody.passes();
    nobody.meter.countResponse(fine());
    await nobody.passes();
    expect(nobody.reports.map(({ isReady }) => isReady)).toEqual([true, false]);
  });
});
