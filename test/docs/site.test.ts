// The documentation site: its pages, links and search, rendered from the Markdown of the checkout, and how the Worker serves it.
import { globSync } from "node:fs";
import { resolve } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { docsGroups } from "../../scripts/docs/catalogue.ts";
import { renderMarkdown } from "../../scripts/docs/markdown.ts";
import { renderSite } from "../../scripts/docs/site.ts";
import { builtFile } from "../../worker/edge/service/built-files.ts";
import { page } from "../../worker/edge/pages.ts";

const root = resolve(import.meta.dirname, "../..");
const template = "<title>{{title}}</title>{{navigation}}<main>{{content}}</main>{{outline}}";
const site = renderSite(root, template);

describe("the documentation site", () => {
  test("has each document of docs/ and of the rooms as a page, once", () => {
    const sources = docsGroups(root).flatMap(({ pages }) => pages.map(({ source }) => source));
    const written = [...globSync("docs/**/*.md", { cwd: root }), ...globSync("worker/*/README.md", { cwd: root })];
    expect(written.filter((path) => !sources.includes(path))).toEqual([]);
    expect(new Set(site.pages.keys()).size).toBe(sources.length + 1);
  });

  test("has no dead link to a page, a heading or a picture", () => {
    const anchors = new Map(
      [...site.pages].map(([url, html]) => [url, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
    );
    const dead = [...site.pages].flatMap(([url, html]) =>
      [...html.matchAll(/ (?:href|src)="([^"]+)"/g)]
        .map(([, href = ""]) => href)
        .filter((href) => !/^(?:https?|mailto):/.test(href))
        .filter((href) => {
          const [path, anchor] = href.split("#");
          const ids = anchors.get(path || url);
          return ids ? anchor !== undefined && !ids.has(anchor) : !site.pictures.has(href);
        })
        .map((href) => `${url}: ${href}`),
    );
    expect(dead).toEqual([]);
  });

  test("keeps all links between documents", () => {
    expect(site.unresolved).toEqual([]);
    expect(site.pages.get("/docs")).toContain('<a href="/docs/embedding">');
    expect(site.pages.get("/docs/ci")).toContain('<a href="/docs/client">');
    expect(site.pages.get("/docs/deploy")).toContain('href="/docs/decisions/0013-the-secret-has-two-values"');
  });

  test("indexes each section by its own address", () => {
    const entry = site.search.find(({ url }) => url === "/docs/containers#databases");
    expect(entry).toMatchObject({ page: "Containers", heading: "Databases" });
    expect(entry?.text).toContain("SQLite behind psql, mysql, mariadb");
    expect(site.search.some(({ text }) => text.includes("&lt;"))).toBe(false);
  });

  test("marks the current page in the navigation", () => {
    const html = site.pages.get("/docs/api") ?? "";
    expect(html.match(/<a href="[^"]+" aria-current="page">[^<]+/g)).toEqual([
      '<a href="/docs/api" aria-current="page">Control API',
    ]);
  });
});

describe("Markdown on the site", () => {
  const render = (text: string) => renderMarkdown(text, (href) => (href.startsWith("/") ? undefined : href)).html;

  test.each([
    ["<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
    ["a <b>c</b>", "<p>a &lt;b&gt;c&lt;/b&gt;</p>\n"],
    ["[text](/nowhere)", "<p>text</p>\n"],
    ['[text](https://a.example/?b=1&c="d")', '<p><a href="https://a.example/?b=1&amp;c=&quot;d&quot;">text</a></p>\n'],
    ["`<id>`", '<p><code class="unbroken">&lt;id&gt;</code></p>\n'],
  ])("renders %j correctly", (text, html) => {
    expect(render(text)).toBe(html);
  });

  test("gives repeated headings their own anchors, as GitHub does", () => {
    const { headings } = renderMarkdown("# A `b`: c\n## Limits\n## Limits\n", () => undefined);
    expect(headings.map(({ anchor }) => anchor)).toEqual(["a-b-c", "limits", "limits-1"]);
  });
});

describe("the Worker's route /docs", () => {
  const built = new Map<string, Buffer>([
    ["/docs/index.html", Buffer.from("overview")],
    ["/docs/rooms/store.html.gz", gzipSync("store")],
    ["/docs/search.json", Buffer.from("[]")],
    ["/docs/search.json.br", brotliCompressSync("[]")],
  ]);
  const assets = {
    fetch: async (url: string, { method }: { method: string }) => {
      const file = built.get(new URL(url).pathname);
      return file ? new Response(method === "HEAD" ? null : file) : new Response("", { status: 404 });
    },
  };
  const ask = (path: string, method = "GET") => {
    const request = new Request(`https://host${path}`, { method });
    const file = (name: string, of: Request) => builtFile(assets, name, of);
    return page(request, new URL(request.url), { secret: "secret", file });
  };

  test.each([
    ["/docs", "overview"],
    ["/docs/", "overview"],
    ["/docs/rooms/store", "store"],
    ["/docs/search.json", "[]"],
  ])("answers %s with the built file, compressed or not, and a policy without foreign scripts", async (path, text) => {
    const answer = await ask(path);
    expect([answer?.status, await answer?.text()]).toEqual([200, text]);
    expect(answer?.headers.get("content-security-policy")).toContain("script-src 'self';");
  });

  test("answers with the compressed file if the client accepts it", async () => {
    const encodingOf = async (path: string, accepted: string) => {
      const request = new Request(`https://host${path}`, { headers: { "accept-encoding": accepted } });
      const answer = await builtFile(assets, path, request);
      const { headers, status } = answer;
      return [status, headers.get("content-encoding"), headers.get("vary"), headers.get("content-type")];
    };
    const json = "application/json";
    expect(await encodingOf("/docs/search.json", "gzip, br")).toEqual([200, "br", "accept-encoding", json]);
    expect((await encodingOf("/docs/search.json", "br;q=0, gzip"))[1]).toBeNull();
    expect((await encodingOf("/docs/rooms/store.html", "br, gzip;q=0.8"))[1]).toBe("gzip");
    expect((await encodingOf("/docs/nowhere.html", "br"))[0]).toBe(404);
  });

  test("has no body for HEAD, keeps the compressed file's content type, and does not handle other addresses", async () => {
    const head = await ask("/docs/rooms/store", "HEAD");
    expect([head?.status, await head?.text(), head?.headers.get("content-type")]).toEqual([
      200,
      "",
      "text/html; charset=utf-8",
    ]);
    expect(await ask("/docs/nowhere")).toBeUndefined();
    expect(await ask("/docs/../secret")).toBeUndefined();
  });
});
