// Webhooks and usage over the control API.
import { describe, expect, test } from "vitest";
import { errorBody } from "../../shared/contract/error.ts";
import { usage } from "../../shared/contract/hosted/usage.ts";
import { deliveryList, webhookWithSecret } from "../../shared/contract/hosted/webhook.ts";
import { keys, newService } from "./service.ts";

async function errorOf(answer: Response) {
  return { status: answer.status, ...errorBody.parse(await answer.json()).error };
}

describe("webhooks", () => {
  test("J4: are created, shown with their secret, changed, tested and deleted, and another tenant does not see them", async () => {
    const { send } = await newService();
    const created = webhookWithSecret.parse(
      await (await send("POST", "/v1/webhooks", { body: { url: "https://hooks.example.org/a" } })).json(),
    );
    expect(created.secret).toMatch(/^whsec_/);
    const path = `/v1/webhooks/${created.id}`;
    expect(await (await send("GET", path)).json()).toEqual(created);
    const { secret: _, ...publicFacts } = created;
    expect(await (await send("GET", "/v1/webhooks")).json()).toEqual({ webhooks: [publicFacts] });
    expect((await send("POST", `${path}/test`)).status).toBe(201);
    const { deliveries } = deliveryList.parse(await (await send("GET", `${path}/deliveries`)).json());
    expect(deliveries).toMatchObject([{ type: "test", state: "waiting", attempts: 0 }]);
    const off = await send("PATCH", path, { body: { enabled: false, events: ["sandbox.created"] } });
    expect(await off.json()).toEqual({ ...publicFacts, enabled: false, events: ["sandbox.created"] });
    for (const [method, below] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/test"],
      ["GET", "/deliveries"],
    ] as const) {
      expect((await send(method, path + below, { key: keys.bob })).status).toBe(404);
    }
    expect((await send("DELETE", path)).status).toBe(204);
    expect((await send("GET", path)).status).toBe(404);
  });

  test.each([
    "http://hooks.example.org/",
    "https://127.0.0.1/",
    "https://10.0.0.1:8443/",
    "https://[::1]/",
    "https://metadata.google.internal/",
    "https://localhost/",
    "https://user:pass@hooks.example.org/",
    "https://hooks.example.org:99999/",
    "ftp://hooks.example.org/",
  ])("J4: with %s are refused", async (url) => {
    const { send } = await newService();
    const refused = await send("POST", "/v1/webhooks", { body: { url } });
    expect(await errorOf(refused)).toMatchObject({ status: 400, code: "invalid_field", field: "url" });
    const { id } = webhookWithSecret.parse(
      await (await send("POST", "/v1/webhooks", { body: { url: "https://hooks.example.org" } })).json(),
    );
    expect((await send("PATCH", `/v1/webhooks/${id}`, { body: { url } })).status).toBe(400);
  });

  test("J1: are bounded by the plan", async () => {
    const { send, service } = await newService();
    await service.plans.set("ada", { overrides: { webhooks: 0 } });
    const refused = await send("POST", "/v1/webhooks", { body: { url: "https://hooks.example.org" } });
    expect(await errorOf(refused)).toMatchObject({ status: 429, limit: { name: "webhooks", limited: 0, used: 0 } });
  });
});

describe("usage", () => {
  test("J3: lists hours, requests, rows and bytes by day and sandbox with a price, also as CSV", async () => {
    const { send, time, tenants } = await newService();
    const { id, name } = await (await send("POST", "/v1/sandboxes")).json<{ id: string; name: string }>();
    const more = {
      rowsRead: 1_000_000,
      rowsWritten: 1_000_000,
      awakeMs: 3_600_000,
      bytes: 1000,
      limits: [],
      isReady: false,
    };
    tenants.inside("ada").report({ id, atMs: time.nowMs, requests: 1_000_000, ...more });
    time.nowMs += 2 * 3_600_000;
    const usageReport = usage.parse(await (await send("GET", "/v1/usage")).json());
    expect(usageReport).toMatchObject({
      from: "2026-01-01",
      to: "2026-01-01",
      rows: [{ day: "2026-01-01", sandbox: { id, name }, sandboxHours: 2, awakeHours: 1, requests: 1_000_000 }],
    });
    // 0.45 for requests, 0.00576 for an hour of 128 MB, 0.001 and 1 for rows.
    expect(usageReport.total.price).toBeCloseTo(0.45 + 0.00576 + 0.001 + 1, 4);
    const csv = await send("GET", "/v1/usage?format=csv");
    expect(csv.headers.get("content-type")).toBe("text/csv; charset=UTF-8");
    const [head, row] = (await csv.text()).split("\r\n");
    expect([head?.split(",").slice(0, 4), row?.split(",").slice(0, 4)]).toEqual([
      ["day", "sandbox", "name", "sandboxHours"],
      ["2026-01-01", id, name, "2"],
    ]);
    expect(usage.parse(await (await send("GET", "/v1/usage", { key: keys.bob })).json()).rows).toEqual([]);
  });

  test("J3: covers at most 92 days, and an answer of more than 10,000 rows is refused", async () => {
    const { send, tenants } = await newService();
    expect((await send("GET", "/v1/usage?from=2025-10-01&to=2025-12-31")).status).toBe(200);
    const wide = await send("GET", "/v1/usage?from=2025-09-30&to=2025-12-31");
    expect(await errorOf(wide)).toMatchObject({ status: 400, code: "invalid_field", field: "from" });
    Object.assign(tenants.inside("ada"), { usage: () => undefined });
    expect(await errorOf(await send("GET", "/v1/usage"))).toMatchObject({ status: 413, code: "too_large" });
  });

  test.each(["?from=2026-01-02&to=2026-01-01", "?from=2025-01-01", "?from=x", "?by=hour"])(
    "J3: is refused for %s",
    async (query) => {
      const { send } = await newService();
      expect(await errorOf(await send("GET", `/v1/usage${query}`))).toMatchObject({
        status: 400,
        code: "invalid_field",
      });
    },
  );
});
