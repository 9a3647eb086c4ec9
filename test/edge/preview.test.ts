// Previews: the ticket in the address allows one port of one object, and the page that is shown reaches nothing else.
import { describe, expect, test } from "vitest";
import { embedLimits } from "../../shared/base/embed-limits.ts";
import { preview, type CreatePreview } from "../../shared/contract/cluster/preview.ts";
import { type SandboxAddress, serverOfSandbox } from "../../worker/edge/address.ts";
import { withoutTicket } from "../../worker/edge/lti/paths.ts";
import { servePreview } from "../../worker/edge/service/preview.ts";
import { newService, secret } from "./service.ts";

const web: CreatePreview = { kind: "services", namespace: "shop", name: "web", port: "http" };

async function begin() {
  const harness = await newService();
  const { id } = await (await harness.send("POST", "/v1/sandboxes", { body: {} })).json<{ id: string }>();
  const forwarded: { request: Request; address: SandboxAddress; server: string }[] = [];
  const ask = (url: string, init: RequestInit = {}) => {
    const request = new Request(url, init);
    return servePreview(request, new URL(request.url), {
      secret,
      findRow: (tenant, sandbox) => harness.service.directory.find(tenant, sandbox),
      proxy: async (passed, address, server) => {
        forwarded.push({ request: passed, address, server });
        return new Response("a page", {
          headers: { "set-cookie": "a=b", "x-frame-options": "DENY", "content-type": "text/html" },
        });
      },
      nowMs: () => harness.time.nowMs,
    });
  };
  const create = async (body: unknown) => harness.send("POST", `/v1/sandboxes/${id}/previews`, { body });
  const open = async () => preview.parse(await (await create(web)).json());
  return { ...harness, id, ask, create, open, forwarded };
}

describe("a preview", () => {
  test("Z21: leads to the proxy of the API with the administrator's token, without the viewer's cookies and credentials", async () => {
    const { ask, open, forwarded, id } = await begin();
    const { url } = await open();
    const headers = { cookie: "sandbar-session=x", authorization: "Bearer own", referer: "http://x/", accept: "a/b" };
    const answer = await ask(`${url}style.css?v=1`, { headers });
    expect(await answer.text()).toBe("a page");
    const [{ request, address, server } = { request: new Request("http://x"), address: undefined, server: "" }] =
      forwarded;
    expect(address?.id).toBe(id);
    expect(`${address?.url.pathname}${address?.url.search}`).toBe(
      "/api/v1/namespaces/shop/services/web:http/proxy/style.css?v=1",
    );
    expect(request.headers.get("authorization")).toMatch(new RegExp(`^Bearer sba_${id}_`));
    expect([request.headers.get("cookie"), request.headers.get("referer"), request.headers.get("accept")]).toEqual([
      null,
      null,
      "a/b",
    ]);
    expect(url.startsWith(`${serverOfSandbox({ server }, id)}/`)).toBe(true);
  });

  test("Z21: has an opaque origin, loads only from its own address, and sets no cookies", async () => {
    const { ask, open } = await begin();
    const { url } = await open();
    const answer = await ask(url);
    const policy = answer.headers.get("content-security-policy") ?? "";
    const ownAddress = url.slice(0, url.indexOf("/c/") + 1);
    expect(policy).toMatch(/^sandbox allow-scripts allow-forms allow-modals; /);
    expect(policy).not.toContain("allow-same-origin");
    expect(policy).toContain(`default-src ${ownAddress} 'unsafe-inline'`);
    expect(policy).toContain("frame-ancestors 'self'");
    expect([answer.headers.get("set-cookie"), answer.headers.get("x-frame-options")]).toEqual([null, null]);
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    const preflight = { method: "OPTIONS", headers: { "access-control-request-method": "PUT" } };
    expect((await ask(url, preflight)).headers.get("access-control-allow-origin")).toBe("*");
  });

  test("Z21: a ticket is for one port of one object and one sandbox", async () => {
    const { ask, open, forwarded, id } = await begin();
    const { url } = await open();
    for (const [from, to] of [
      ["web:http", "web:https"],
      ["web:http/proxy/", "web:http/proxyother/"],
      ["/proxy/", "/"],
      ["/services/", "/pods/"],
      ["/shop/", "/kube-system/"],
      ["/proxy/", "/proxy/../../../../secrets"],
      [`/c/${id}/`, "/c/other/"],
      ["/preview/", "/preview/x"],
    ] as const) {
      expect((await ask(url.replace(from, to))).status, to).toBe(403);
    }
    expect(forwarded).toEqual([]);
  });

  test("Z21: a ticket ends after its time, with a new token of the sandbox, and with the sandbox", async () => {
    const { ask, open, send, time, id } = await begin();
    const first = await open();
    time.nowMs += embedLimits.previewMs + 1000;
    expect((await ask(first.url)).status).toBe(403);
    const second = await open();
    expect((await ask(second.url)).status).toBe(200);
    await send("POST", `/v1/sandboxes/${id}/rotate`, { body: {} });
    expect((await ask(second.url)).status).toBe(403);
    const third = await open();
    await send("DELETE", `/v1/sandboxes/${id}`);
    expect((await ask(third.url)).status).toBe(403);
  });

  test("Z21: a ticket is not logged", async () => {
    const { open } = await begin();
    expect(withoutTicket(new URL((await open()).url).pathname)).toBe("/preview/...");
  });

  test.each([
    [{ ...web, kind: "nodes" }, "kind"],
    [{ ...web, name: "../secrets" }, "name"],
    [{ ...web, namespace: "a/b" }, "namespace"],
    [{ ...web, port: "80/proxy" }, "port"],
    [{ ...web, port: "x".repeat(64) }, "port"],
  ])("Z21: refuses %j at its field", async (body, field) => {
    const { create } = await begin();
    const answer = await create(body);
    const { error } = await answer.json<{ error: { field: string } }>();
    expect([answer.status, error.field]).toEqual([400, field]);
  });
});
