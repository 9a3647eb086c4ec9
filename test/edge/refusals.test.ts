// Refusals that are sent as 200 to the service's own pages, which restore the status.
import { describe, expect, test } from "vitest";
import { withTrueStatus } from "../../web/api/true-status.ts";
import { encodeRefusal } from "../../worker/edge/service/refusals.ts";

const asking = { "sandbar-refusals": "as-ok" };
const body = '{"kind":"Status","code":409}';

function request(headers: Record<string, string>): Request {
  return new Request("https://sandbar.example.org/c/x/api/v1/pods", { method: "POST", headers });
}

function refusal(status = 409): Response {
  return new Response(body, { status, headers: { "content-type": "application/json", "retry-after": "1" } });
}

describe("a refusal", () => {
  test("Z10: is sent as a 200 with the true status in a header to a client that asks for it, and is not cached", async () => {
    const answer = encodeRefusal(request(asking), refusal());
    expect([answer.status, await answer.clone().text()]).toEqual([200, body]);
    expect(Object.fromEntries(answer.headers)).toEqual({
      "cache-control": "no-store",
      "content-type": "application/json",
      "retry-after": "1",
      "sandbar-status": "409",
      vary: "sandbar-refusals",
    });
    const again = withTrueStatus(answer);
    expect([again.status, again.ok, await again.text(), again.headers.get("sandbar-status")]).toEqual([
      409,
      false,
      body,
      null,
    ]);
  });

  test("Z10: keeps its own status for other clients and for pages of other origins", () => {
    const same = refusal();
    expect(encodeRefusal(request({}), same)).toBe(same);
    expect(encodeRefusal(request({ "sandbar-refusals": "else" }), same)).toBe(same);
    expect(encodeRefusal(request({ ...asking, origin: "https://other.example.org" }), same)).toBe(same);
    expect(encodeRefusal(request({ ...asking, origin: "null" }), same)).toBe(same);
    expect(encodeRefusal(request({ ...asking, origin: "https://sandbar.example.org" }), same).status).toBe(200);
  });

  test.each([200, 201, 302, 500, 503])("Z10: %d is not encoded", (status) => {
    const answer = new Response("x", { status });
    expect(encodeRefusal(request(asking), answer)).toBe(answer);
  });

  test("Z10: cannot be imitated by a container's answer", () => {
    const answer = new Response("x", { status: 200, headers: { "sandbar-status": "401" } });
    expect(encodeRefusal(request(asking), answer).headers.has("sandbar-status")).toBe(false);
    expect(withTrueStatus(new Response("x", { headers: { "sandbar-status": "500" } })).status).toBe(200);
  });
});
