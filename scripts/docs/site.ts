// Builds the documentation site: the Markdown of the checkout as static pages, with their navigation and an index for the search.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { type DocsGroup, docsGroups, type DocsPage } from "./catalogue.ts";
import { escapeHtml, type Heading, renderMarkdown } from "./markdown.ts";

/** An entry of the search index. */
export interface SearchEntry {
  readonly url: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

export interface Site {
  /** The HTML of each page, by the page's address. */
  readonly pages: ReadonlyMap<string, string>;
  /** The picture files of the checkout that pages show, by their address. */
  readonly pictures: ReadonlyMap<string, string>;
  readonly search: readonly SearchEntry[];
  /** The links to files that the site does not have, each prefixed with its source. They are shown as plain text. */
  readonly unresolved: readonly string[];
}

const decisionsUrl = "/docs/decisions";

/** Renders all pages into a template that has `{{title}}`, `{{navigation}}`, `{{content}}` and `{{outline}}`. */
export function renderSite(root: string, template: string): Site {
  const groups = docsGroups(root);
  const pages = groups.flatMap((group) => group.pages);
  const urls = new Map(pages.map(({ source, url }) => [source, url]));
  const pictures = new Map<string, string>();
  const search: SearchEntry[] = [];
  const unresolved: string[] = [];
  const resolveFrom = (source: string) => (href: string) => {
    if (/^(?:https?:|mailto:|#)/.test(href)) return href;
    const [path = "", anchor] = href.split("#");
    const target = posix.join(dirname(source), path).replace(/\/$/, "");
    if (/\.(?:jpe?g|png|svg)$/.test(target) && existsSync(join(root, target))) {
      const url = `/docs/images/${basename(target)}`;
      pictures.set(url, target);
      return url;
    }
    const url =
      target === "docs/decisions" ? decisionsUrl : (urls.get(target) ?? urls.get(posix.join(target, "README.md")));
    if (url !== undefined) return url + (anchor === undefined ? "" : `#${anchor}`);
    unresolved.push(`${source}: ${href}`);
    return undefined;
  };
  const fill = (title: string, url: string, content: string, outline: string) => {
    const values: Readonly<Record<string, string>> = { title, content, outline, navigation: navigation(groups, url) };
    return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? "");
  };
  const rendered = pages.map((page): [string, string] => {
    const { html, headings, sections } = renderMarkdown(
      readFileSync(join(root, page.source), "utf8"),
      resolveFrom(page.source),
    );
    for (const { heading, text } of sections) {
      const url = heading && heading.level > 1 ? `${page.url}#${heading.anchor}` : page.url;
      search.push({ url, page: page.title, heading: heading?.text ?? page.title, text });
    }
    return [page.url, fill(escapeHtml(page.title), page.url, html, outline(headings))];
  });
  const decisions = groups.at(-1)?.pages ?? [];
  const list = decisions.map((page) => `<li>${link(page)}</li>`).join("\n");
  const index = fill("Decisions", decisionsUrl, `<h1 id="decisions">Decisions</h1><ul>${list}</ul>`, "");
  return { pages: new Map([...rendered, [decisionsUrl, index]]), pictures, search, unresolved };
}

function navigation(groups: readonly DocsGroup[], current: string): string {
  return groups
    .map(({ title, pages }) => {
      const links = pages.map((page) => link(page, page.url === current)).join("\n");
      if (!title) return `<div class="page-group">${links}</div>`;
      const isOpen = title !== "Decisions" || pages.some(({ url }) => url === current);
      return `<details class="page-group"${isOpen ? " open" : ""}><summary>${title}</summary>${links}</details>`;
    })
    .join("\n");
}

function link({ url, title }: DocsPage, isCurrent = false): string {
  return `<a href="${url}"${isCurrent ? ' aria-current="page"' : ""}>${escapeHtml(title)}</a>`;
}

/** Returns the links to a page's sections; empty if there are fewer than two. */
function outline(headings: readonly Heading[]): string {
  const sections = headings.filter(({ level }) => level === 2);
  if (sections.length < 2) return "";
  const links = sections.map(({ text, anchor }) => `<li><a href="#${anchor}">${escapeHtml(text)}</a></li>`).join("\n");
  return `<nav class="outline" aria-label="On this page"><h2>On this page</h2><ul>${links}</ul></nav>`;
}

/** Writes the site below `out`, whose `docs.html` is the built template and is removed. */
export function writeSite(root: string, out: string): void {
  const templatePath = join(out, "docs.html");
  const site = renderSite(root, readFileSync(templatePath, "utf8"));
  rmSync(templatePath);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), text);
  };
  for (const [url, html] of site.pages) write(url === "/docs" ? "docs/index.html" : `${url}.html`, html);
  write("docs/search.json", JSON.stringify(site.search));
  mkdirSync(join(out, "docs/images"), { recursive: true });
  for (const [url, source] of site.pictures) copyFileSync(join(root, source), join(out, url));
}
