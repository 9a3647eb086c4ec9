// Parses a lesson's Markdown to plain values for rendering. It produces no HTML, so it cannot run scripts, load resources or submit forms.
import { lexer, type MarkedToken, type Token, type Tokens } from "marked";

export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "em" | "del"; readonly inside: readonly Inline[] }
  /** A link. `href` is http, https, mailto, or an anchor in the page. */
  | { readonly kind: "link"; readonly href: string; readonly inside: readonly Inline[] }
  /** A picture that is embedded in the text. */
  | { readonly kind: "image"; readonly src: string; readonly text: string }
  | { readonly kind: "break" };

export interface Item {
  /** The state of a task list item. Undefined for other items. */
  readonly done: boolean | undefined;
  readonly blocks: readonly Block[];
}

export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly inside: readonly Inline[] }
  | { readonly kind: "paragraph"; readonly inside: readonly Inline[] }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "list"; readonly start: number | undefined; readonly items: readonly Item[] }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | {
      readonly kind: "table";
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly kind: "rule" };

/** The maximum nesting. Deeper Markdown is shown as text. */
const mostDepth = 12;
const safeLink = /^(?:https?:\/\/|mailto:|#)/i;
const ownPicture = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/;
const entities: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", copy: "©", hellip: "…" },
  ...{ mdash: "—", ndash: "–", rarr: "→", larr: "←", times: "×", bull: "•" },
};

/** Parses any text. Text that is not readable as Markdown becomes one code block. */
export function readMarkdown(text: string): Block[] {
  try {
    return blocksOf(lexer(text, { gfm: true }), 0);
  } catch {
    return [{ kind: "code", language: "", text }];
  }
}

function blocksOf(tokens: readonly Token[], depth: number): Block[] {
  return tokens.flatMap((token) => blockOf(token as MarkedToken, depth));
}

function blockOf(token: MarkedToken, depth: number): Block[] {
  if (depth > mostDepth) return [{ kind: "code", language: "", text: token.raw }];
  switch (token.type) {
    case "heading":
      return [{ kind: "heading", level: token.depth, inside: inlinesOf(token.tokens, depth) }];
    case "paragraph":
      return [{ kind: "paragraph", inside: inlinesOf(token.tokens, depth) }];
    case "text":
      return [{ kind: "paragraph", inside: inlinesOf(token.tokens ?? [token], depth) }];
    case "code":
      return [{ kind: "code", language: token.lang?.split(/\s/)[0] ?? "", text: token.text }];
    case "list":
      return [listOf(token, depth)];
    case "blockquote":
      return [{ kind: "quote", blocks: blocksOf(token.tokens, depth + 1) }];
    case "table":
      return [tableOf(token, depth)];
    case "hr":
      return [{ kind: "rule" }];
    case "html":
      return htmlAsText(token.text).map((inside) => ({ kind: "paragraph", inside: [inside] }));
    default:
      return [];
  }
}

function listOf({ ordered, start, items }: Tokens.List, depth: number): Block {
  return {
    kind: "list",
    start: ordered ? (start === "" ? 1 : start) : undefined,
    items: items.map(({ task, checked, tokens }) => ({
      done: task ? checked === true : undefined,
      blocks: blocksOf(
        tokens.filter(({ type }) => type !== "checkbox"),
        depth + 1,
      ),
    })),
  };
}

function tableOf({ header, rows }: Tokens.Table, depth: number): Block {
  const cells = (row: readonly Tokens.TableCell[]) => row.map(({ tokens }) => inlinesOf(tokens, depth));
  return { kind: "table", head: cells(header), rows: rows.map(cells) };
}

function inlinesOf(tokens: readonly Token[], depth: number): Inline[] {
  return tokens.flatMap((token) => inlineOf(token as MarkedToken, depth + 1));
}

function inlineOf(token: MarkedToken, depth: number): Inline[] {
  if (depth > mostDepth) return [{ kind: "text", text: token.raw }];
  switch (token.type) {
    case "strong":
    case "em":
    case "del":
      return [{ kind: token.type, inside: inlinesOf(token.tokens, depth) }];
    case "codespan":
      return [{ kind: "code", text: token.text }];
    case "br":
      return [{ kind: "break" }];
    case "link":
      return linkOf(token, depth);
    case "image":
      return [
        ownPicture.test(token.href)
          ? { kind: "image", src: token.href, text: decoded(token.text) }
          : { kind: "text", text: decoded(token.text) },
      ];
    case "html":
      return htmlAsText(token.text);
    case "text":
      // List items contain texts with inline tokens.
      return token.tokens ? inlinesOf(token.tokens, depth) : [{ kind: "text", text: decoded(token.text) }];
    case "escape":
      return [{ kind: "text", text: token.text }];
    default:
      return [];
  }
}

function linkOf({ href: written, tokens }: Tokens.Link, depth: number): Inline[] {
  const href = decoded(written);
  const inside = inlinesOf(tokens, depth);
  return safeLink.test(href) ? [{ kind: "link", href, inside }] : inside;
}

/** Removes HTML comments, which are notes for authors. Other HTML is shown as text. */
function htmlAsText(text: string): Inline[] {
  const visibleText = text.replaceAll(/<!--[\s\S]*?-->/g, "").trimEnd();
  return visibleText.trim() === "" ? [] : [{ kind: "text", text: visibleText }];
}

function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (entity, decimal, hex, name: string) => {
    if (name) return entities[name] ?? entity;
    const code = decimal ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}
