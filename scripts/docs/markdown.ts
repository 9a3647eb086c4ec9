// Renders Markdown of the checkout as HTML of the documentation site, and divides it into sections for the search.
import { Marked, type RendererObject, type Token, type Tokens } from "marked";

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly anchor: string;
}

export interface Section {
  readonly heading: Heading | undefined;
  /** The text without markup. */
  readonly text: string;
}

export interface RenderedPage {
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
}

/** Returns the address to which a link or a picture of the page leads on the site; undefined if the site does not have it. */
export type ResolveLink = (href: string) => string | undefined;

/** Derives the anchors of a page's headings as GitHub does: a repeated one gets a number. */
export class Anchors {
  readonly #used = new Set<string>();

  next(text: string): string {
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
      .replaceAll(" ", "-");
    let anchor = slug;
    for (let count = 1; this.#used.has(anchor); count++) anchor = `${slug}-${count}`;
    this.#used.add(anchor);
    return anchor;
  }
}

export function renderMarkdown(text: string, resolveLink: ResolveLink): RenderedPage {
  const headings: Heading[] = [];
  const anchors = new Anchors();
  const marked = new Marked({ renderer: rendererWith(resolveLink, anchors, headings) });
  const tokens = marked.lexer(text);
  const sections: { heading: Heading | undefined; html: string }[] = [];
  for (const token of tokens) {
    const html = marked.parser([token]);
    if (token.type === "heading" || sections.length === 0) sections.push({ heading: headings.at(-1), html: "" });
    const section = sections.at(-1);
    if (section) section.html += html;
  }
  return {
    html: sections.map(({ html }) => html).join(""),
    headings,
    sections: sections.map(({ heading, html }) => ({ heading, text: textOf(html) })),
  };
}

function rendererWith(resolveLink: ResolveLink, anchors: Anchors, headings: Heading[]): RendererObject<string, string> {
  return {
    heading({ tokens, depth, text }) {
      const anchor = anchors.next(text);
      const inner = this.parser.parseInline(tokens);
      headings.push({ level: depth, text: textOf(inner), anchor });
      return `<h${depth} id="${anchor}"><a class="anchor" href="#${anchor}">${inner}</a></h${depth}>\n`;
    },
    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens);
      const target = resolveLink(href);
      return target === undefined ? inner : `<a href="${escapeHtml(target)}">${inner}</a>`;
    },
    image({ href, text }) {
      const target = resolveLink(href);
      return target === undefined ? escapeHtml(text) : `<img src="${escapeHtml(target)}" alt="${escapeHtml(text)}">`;
    },
    code({ text, lang = "" }) {
      const [language = ""] = lang.split(" ");
      return `<div class="code-block"><pre tabindex="0" data-language="${escapeHtml(language)}"><code>${escapeHtml(text)}\n</code></pre></div>\n`;
    },
    table(token: Tokens.Table) {
      const cells = (tag: string, row: readonly { tokens: Token[] }[]) =>
        row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("");
      const rows = token.rows.map((row) => `<tr>${cells("td", row)}</tr>\n`).join("");
      return `<div class="scroll" tabindex="0"><table><thead><tr>${cells("th", token.header)}</tr></thead><tbody>${rows}</tbody></table></div>\n`;
    },
    codespan({ text }) {
      const isShort = text.length <= unbrokenCharacters;
      return `<code${isShort ? ' class="unbroken"' : ""}>${escapeHtml(text)}</code>`;
    },
    // HTML in Markdown is escaped.
    html: ({ text }) => escapeHtml(text),
  };
}

/** The length up to which code in a line is never broken. */
const unbrokenCharacters = 28;

const entities: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
};

function textOf(html: string): string {
  return html
    .replaceAll(/<\/?(?:a|code|strong|em|del)\b[^<>]*>/g, "")
    .replaceAll(/<[^<>]*>/g, " ")
    .replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity)
    .replaceAll(/\s+/g, " ")
    .trim();
}

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
