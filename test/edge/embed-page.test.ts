// The embedded page: its allowed origins, and the explanation for other pages.
import { describe, expect, test } from "vitest";
import { publishableKey } from "../../shared/contract/hosted/publishable-key.ts";
import { read } from "../../worker/edge/control-api/embed/signed.ts";
import { embedPage } from "../../worker/edge/embed-page.ts";
import { newService, secret } from "./service.ts";

const origin = "https://course.example.org";
const second = "https://wiki.example.org:8443";
const built = '<meta name="sandbar-ticket" content="" /><meta name="sandbar-origin" content="" />';

async function begin() {
  const harness = await newService();
  const body = { name: "course", origins: [origin, second], templates: ["empty"] };
  const { key } = publishableKey.parse(await (await harness.send("POST", "/v1/publishable-keys", { body })).json());
  const ask = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
    const request = new Request(`http://localhost:8787${path}`, { method, headers });
    const file = async () => new Response(built);
    return embedPage(request, new URL(request.url), { controlApi: harness.service, file });
  };
  return { ...harness, key, ask };
}

function policyOf(answer: Response | undefined): string {
  return answer?.headers.get("content-security-policy") ?? "";
}

const within = (referer: string) => ({ referer, "sec-fetch-dest": "iframe" });

describe("the embedded page", () => {
  test.each([`${origin}/lesson/1?a=b`, `${second}/`])(
    "Z16: is served to %s, with a ticket and a policy for its origin, and is not cached",
    async (from) => {
      const { ask, key, time } = await begin();
      const answer = await ask(`/embed/${key}?template=empty`, within(from));
      expect(answer?.status).toBe(200);
      expect(policyOf(answer)).toContain(`frame-ancestors ${origin} ${second}`);
      expect(policyOf(answer)).toContain("script-src 'self';");
      expect(answer?.headers.get("cache-control")).toBe("no-store");
      expect(answer?.headers.has("x-frame-options")).toBe(false);
      const html = (await answer?.text()) ?? "";
      const [, ticket = "", originInPage] =
        /ticket" content="([^"]+)" \/><meta name="sandbar-origin" content="([^"]+)"/.exec(html) ?? [];
      expect(originInPage).toBe(new URL(from).origin);
      expect(await read(secret, "ticket", ticket, time.nowMs)).toEqual({ key, origin: originInPage });
    },
  );

  test.each([
    ["a page of another origin", within("https://evil.example.org/"), 403, "origin"],
    ["a page of an origin with the same prefix", within(`${origin}.evil.example/`), 403, "origin"],
    ["a page of the same host on another port", within(`${origin}:444/`), 403, "origin"],
    ["a page without a referrer", { "sec-fetch-dest": "iframe" }, 403, "silent"],
    ["a page with an invalid referrer", within("x"), 403, "silent"],
    ["a page outside of a frame", { referer: `${origin}/`, "sec-fetch-dest": "document" }, 200, "alone"],
  ])(
    "Z16: is an explanation without a ticket for %s, which every page may frame",
    async (_, headers, status, reason) => {
      const { ask, key } = await begin();
      const answer = await ask(`/embed/${key}`, headers);
      const html = (await answer?.text()) ?? "";
      expect(answer?.status).toBe(status);
      expect(html).toContain(`data-reason="${reason}"`);
      expect(html).not.toContain("sandbar-ticket");
      expect(policyOf(answer)).toMatch(/^default-src 'none'; .*frame-ancestors \*$/);
      // Where it stands otherwise: for sites that know oEmbed.
      expect(html).toContain('type="application/json+oembed" href="http://localhost:8787/v1/oembed?url=http%3A');
    },
  );

  test("Z16: explains a missing or revoked key, and reads nothing for invented keys", async () => {
    const { ask, key, send, service } = await begin();
    await send("DELETE", `/v1/publishable-keys/${key}`);
    const answer = await ask(`/embed/${key}`, within(`${origin}/`));
    expect([answer?.status, await answer?.text()]).toEqual([404, expect.stringContaining('data-reason="unknown"')]);
    service.publishableKeys = { ...service.publishableKeys, find: () => Promise.reject(new Error("asked")) };
    expect((await ask(`/embed/pk_${"a".repeat(30)}`, within(`${origin}/`)))?.status).toBe(404);
  });

  test("Z16: escapes the page's origin in the explanation, and uses the language of the page or the browser", async () => {
    const { ask, key } = await begin();
    const html = await (await ask(`/embed/${key}`, within("https://a%3Cb.example/%22<x>")))?.text();
    expect(html).not.toContain("<x>");
    const german = await ask(`/embed/${key}?language=de-AT`, within("https://evil.example.org/"));
    expect(await german?.text()).toContain('<html lang="de">');
    const response = await ask(`/embed/${key}`, {
      ...within("https://evil.example.org/"),
      "accept-language": "de,en;q=0.5",
    });
    expect(await response?.text()).toContain('<html lang="de">');
    expect(await (await ask(`/embed/${key}?language=fr`))?.text()).toContain('<html lang="en">');
  });

  test("Z16: is an explanation as well if D1 fails, and the error is reported", async () => {
    const { ask, key, service, errors } = await begin();
    service.publishableKeys = { ...service.publishableKeys, find: () => Promise.reject(new Error("D1 fails")) };
    const answer = await ask(`/embed/${key}`, within(`${origin}/`));
    expect(answer?.status).toBe(503);
    expect(errors.splice(0)).toEqual([new Error("D1 fails")]);
  });

  test.each([
    ["/embed/", "GET"],
    ["/embed/sbk_aaaa", "GET"],
    ["/embed.js", "GET"],
    ["/embed/pk_aaaa/more", "GET"],
    ["/embed/pk_aaaa", "POST"],
  ])("Z16: does not exist at %s for %s", async (path, method) => {
    const { ask } = await begin();
    expect(await ask(path, {}, method)).toBeUndefined();
  });
});
