// The URLs at which webhooks are called: Go's path.Join and EscapedPath, as upstream's HookClient and client-go apply them.
import { expect, test } from "vitest";
import { recipientOfWebhook } from "../../shared/schema/webhook-client.ts";

test.for<[url: string, called: string]>([
  ["https://x.example", "https://x.example/"],
  ["https://x.example/", "https://x.example/"],
  ["https://x.example:8443//failing", "https://x.example:8443/failing"],
  ["https://x.example/a//b/", "https://x.example/a/b"],
  ["https://x.example/a/./b/../../../c/..", "https://x.example/"],
  ["https://x.example/a/%2e%2E/b%2Fc", "https://x.example/b/c"],
  ["https://x.example/a b%3Fc%23d/e%20f", "https://x.example/a%20b%3Fc%23d/e%20f"],
  ["https://x.example/$&+,:;=@-_.~/!'()*[]\\é", "https://x.example/$&+,:;=@-_.~/%21%27%28%29%2A%5B%5D%5C%C3%A9"],
])("%s is called at %s", ([url, called]) => {
  const { url: actual = "", service } = recipientOfWebhook({ url, caBundle: "QQ==" }, 7) ?? {};
  expect([actual, service]).toEqual([`${called}?timeout=7s`, undefined]);
  // What carries the call parses it again, and must not change it.
  expect(new URL(actual).href).toBe(actual);
});

test.for<[path: string | undefined, called: string]>([
  [undefined, "/"],
  ["/", "/"],
  ["/hook/", "/hook"],
  ["/a.b/c", "/a.b/c"],
])("the path %s of a Service is called at %s", ([path, called]) => {
  const service = { namespace: "n", name: "s", port: 8443, ...(path === undefined ? {} : { path }) };
  expect(recipientOfWebhook({ service }, 30)).toEqual({
    url: `https://s.n.svc:8443${called}?timeout=30s`,
    service: { namespace: "n", name: "s", port: 8443 },
  });
});

test("a configuration without URL and Service has no recipient", () => {
  expect(recipientOfWebhook({}, 1)).toBeUndefined();
  expect(recipientOfWebhook(undefined, 1)).toBeUndefined();
});
