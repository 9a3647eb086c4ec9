// Links of proxied pages.
import { expect, test } from "vitest";
import { proxiedLink, withLinks } from "../../worker/api/connect/links.ts";

const at = { host: "10.244.0.5:80", prefix: "/api/v1/namespaces/n/pods/p/proxy" };

test.each([
  ["/a?b#c", `${at.prefix}/a?b#c`],
  ["/", `${at.prefix}/`],
  [`${at.prefix}/a`, `${at.prefix}/a`],
  ["a/b", "a/b"],
  ["#c", "#c"],
  ["http://10.244.0.5:80/a", `${at.prefix}/a`],
  ["//10.244.0.5:80/a", `${at.prefix}/a`],
  ["https://example.com/a", "https://example.com/a"],
  ["mailto:a@b", "mailto:a@b"],
])("a link to %s leads to %s", (link, to) => {
  expect(proxiedLink(link, at)).toBe(to);
});

test("links of a page are rewritten to the proxy, and nothing else of it is changed", () => {
  const page = `<!doctype html><A HREF='/x' title="/x">/x</A><img src="/i.png"><p href="/y"><script src=/z></script> 1 < 2 <a href="/end"`;
  expect(withLinks(page, at)).toBe(
    `<!doctype html><A HREF="${at.prefix}/x" title="/x">/x</A><img src="${at.prefix}/i.png"><p href="/y"><script src=/z></script> 1 < 2 <a href="/end"`,
  );
});
