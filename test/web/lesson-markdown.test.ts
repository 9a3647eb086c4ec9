// Markdown of lessons: read as the values that are drawn, with nothing in it that could run, load or submit anything.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Block, readMarkdown } from "../../web/learn/markdown.ts";

const text = (value: string) => ({ kind: "text", text: value });
const paragraph = (...inside: object[]) => [{ kind: "paragraph", inside }];

describe("M11: Markdown", () => {
  test.each([
    ["# A `b`", [{ kind: "heading", level: 1, inside: [text("A "), { kind: "code", text: "b" }] }]],
    ["a **b** *c* ~~d~~", paragraph(text("a "), strong("b"), text(" "), em("c"), text(" "), del("d"))],
    ["Tom &amp; &#65;&#x42; &nope;", paragraph(text("Tom & AB &nope;"))],
    ["```sh\n$ ls\n```", [{ kind: "code", language: "sh", text: "$ ls" }]],
    ["---", [{ kind: "rule" }]],
    ["> a", [{ kind: "quote", blocks: paragraph(text("a")) }]],
    ["3. a\n4. b", [list(3, [item("a"), item("b")])]],
    ["- [x] a\n- [ ] b\n- c", [list(undefined, [item("a", true), item("b", false), item("c")])]],
    ["|a|b|\n|-|-|\n|1|2|", [{ kind: "table", head: [[text("a")], [text("b")]], rows: [[[text("1")], [text("2")]]] }]],
    ["[a](https://b.example/c)", paragraph({ kind: "link", href: "https://b.example/c", inside: [text("a")] })],
    ["[a](http://b/?c=1&amp;d)", paragraph({ kind: "link", href: "http://b/?c=1&d", inside: [text("a")] })],
    ["a\\*b  \nc", paragraph(text("a"), text("*"), text("b"), { kind: "break" }, text("c"))],
    ["![p](data:image/png;base64,AAAA)", paragraph({ kind: "image", src: "data:image/png;base64,AAAA", text: "p" })],
    ["<!-- for teachers -->a", paragraph(text("a"))],
  ])("M11: renders %j", (markdown, expected) => {
    expect(readMarkdown(markdown)).toEqual(expected);
  });

  test.each([
    ["[a](javascript:alert(1))", "a"],
    ["[a](JaVaScRiPt:alert(1))", "a"],
    ["[a](&#106;avascript:alert(1))", "a"],
    ["[a](data:text/html,x)", "a"],
    ["[a](//b.example)", "a"],
    ["![a](https://b.example/x.png)", "a"],
    ["![a](data:image/svg+xml;base64,AAAA)", "a"],
    ['![a](data:image/png;base64,AAAA" onerror=x)', '![a](data:image/png;base64,AAAA" onerror=x)'],
  ])("M11: removes what %j would load or run", (markdown, expected) => {
    expect(kindsIn(readMarkdown(markdown))).toEqual(new Set(["paragraph", "text"]));
    expect(textIn(readMarkdown(markdown))).toBe(expected);
  });

  test.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "a <b onclick=x>c</b>",
    "<style>*{}</style>",
  ])("M11: shows %j as text", (markdown) => {
    expect(kindsIn(readMarkdown(markdown))).toEqual(new Set(["paragraph", "text"]));
    expect(textIn(readMarkdown(markdown))).toBe(markdown);
  });

  test("M11: links only to the web, and embeds pictures in the text, for any text", () => {
    const piece = fc.constantFrom(
      "[",
      "](",
      ")",
      "![",
      "<",
      ">",
      "javascript:",
      "data:",
      "https://a",
      "&#106;",
      "`",
      "*",
      "\n",
      "> ",
      "- ",
      "|",
      "x",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const blocksText = JSON.stringify(readMarkdown(pieces.join("")));
        for (const [, href = ""] of blocksText.matchAll(/"href":"([^"]*)"/g))
          expect(href).toMatch(/^(https?:|mailto:|#)/i);
        for (const [, src = ""] of blocksText.matchAll(/"src":"([^"]*)"/g))
          expect(src).toMatch(/^data:image\/(png|jpeg|gif|webp);base64,/);
      }),
      { seed: 1, numRuns: 2000 },
    );
  });

  test.each([
    ["quotes", ">".repeat(32_768)],
    ["lists", Array.from({ length: 250 }, (_, at) => `${" ".repeat(at)}* a`).join("\n")],
    ["brackets", "[".repeat(32_768)],
    ["emphasis", "*_".repeat(16_384)],
  ])("M11: shows endlessly nested %s as written", (_, markdown) => {
    expect(depthOf(readMarkdown(markdown))).toBeLessThan(60);
  });
});

function strong(value: string) {
  return { kind: "strong", inside: [text(value)] };
}
function em(value: string) {
  return { kind: "em", inside: [text(value)] };
}
function del(value: string) {
  return { kind: "del", inside: [text(value)] };
}
function list(start: number | undefined, items: object[]) {
  return { kind: "list", start, items };
}
function item(value: string, done?: boolean) {
  return { done, blocks: paragraph(text(value)) };
}

function kindsIn(blocks: readonly Block[]): Set<string> {
  return new Set([...JSON.stringify(blocks).matchAll(/"kind":"(\w+)"/g)].map(([, kind = ""]) => kind));
}

function textIn(blocks: readonly Block[]): string {
  const all: string[] = [];
  JSON.stringify(blocks, (key, value: unknown) => {
    if (key === "text" && typeof value === "string") all.push(value);
    return value;
  });
  return all.join("");
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
