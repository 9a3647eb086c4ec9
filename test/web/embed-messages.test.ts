// Messages between a page and an embedded cluster, and the words of a command line that a page sends.
import { describe, expect, test } from "vitest";
import { embedLimits } from "../../shared/base/embed-limits.ts";
import { embedProtocol, readToFrame, readToPage, wrapped } from "../../shared/contract/hosted/embed-messages.ts";
import { wordsIn } from "../../web/embed/frame/line-words.ts";

const look = { theme: "dark", language: "de-CH", style: { "--sandbar-accent": "rgb(1 2 3 / 50%)" } } as const;

describe("messages of a page", () => {
  test.each([
    { type: "hello", look },
    { type: "look", look },
    { type: "moved" },
    { type: "call", id: 3, method: "run", text: "get pods" },
  ] as const)("Z18: are accepted in the form %j", (message) => {
    expect(readToFrame(wrapped(message))).toEqual(message);
  });

  test.each([
    ["nothing", undefined],
    ["a text", "hello"],
    ["a list", [wrapped({ type: "moved" })]],
    ["another application's message", { type: "moved" }],
    ["another version", { sandbar: embedProtocol + 1, type: "moved" }],
    ["an unknown type", { sandbar: embedProtocol, type: "leave" }],
    ["an unknown method", { sandbar: embedProtocol, type: "call", id: 1, method: "constructor", text: "" }],
    ["a call without a number", { sandbar: embedProtocol, type: "call", id: "1", method: "run", text: "" }],
    ["a call without a text", { sandbar: embedProtocol, type: "call", id: 1, method: "run" }],
    [
      "a text that is too long",
      {
        sandbar: embedProtocol,
        type: "call",
        id: 1,
        method: "run",
        text: "x".repeat(embedLimits.embedTextCharacters + 1),
      },
    ],
  ])("Z18: with %s are ignored", (_, data) => {
    expect(readToFrame(data)).toBeUndefined();
  });

  test.each([
    ["a property that belongs to the frame", { "--accent": "red" }],
    ["another property", { color: "red" }],
    ["a property that loads a file", { "--sandbar-background": "url(https://evil.example.org)" }],
    ["a property that loads images", { "--sandbar-background": "image-set('a' 1x)" }],
    ["a value that ends its rule", { "--sandbar-text": "red} body{display:none" }],
    ["a name in other letters", { "--sandbar-text": "\\75rl(a)" }],
    ["a long value", { "--sandbar-font": "a".repeat(embedLimits.embedStyleCharacters + 1) }],
    ["a value that is not text", { "--sandbar-text": 1 }],
    ["a name of Object.prototype", JSON.parse('{"__proto__": "red", "constructor": "red"}') as object],
  ])("Z18: with a look that has %s lose it", (_, style) => {
    const read = readToFrame({ sandbar: embedProtocol, type: "look", look: { ...look, style } });
    expect(read).toEqual({ type: "look", look: { ...look, style: {} } });
  });

  test.each([undefined, null, 7, [], { theme: "pink", language: 7, style: null }, { language: "x".repeat(99) }])(
    "Z18: with looks of %j get the default look",
    (look) => {
      const read = readToFrame({ sandbar: embedProtocol, type: "hello", look });
      expect(read).toEqual({ type: "hello", look: { theme: "auto", language: "en", style: {} } });
    },
  );
});

describe("messages of a frame", () => {
  test("Z18: are read without the protocol's fields, which events do not show", () => {
    const message = { type: "command", line: "get pods", exitCode: 0 } as const;
    expect(readToPage(wrapped(message))).toEqual(message);
  });

  test.each([undefined, "x", { type: "ready" }, { sandbar: 2, type: "ready" }, { sandbar: 1, type: "click" }])(
    "Z18: are ignored in the form %j",
    (data) => {
      expect(readToPage(data)).toBeUndefined();
    },
  );
});

test.each([
  ["kubectl get pods", ["kubectl", "get", "pods"]],
  ["  a\tb\n", ["a", "b"]],
  [
    `create cm a --from-literal='x=y z' --from-literal="q='"`,
    ["create", "cm", "a", "--from-literal=x=y z", "--from-literal=q='"],
  ],
  [`a\\ b "c\\"d" 'e\\f' ""`, ["a b", `c"d`, "e\\f", ""]],
  ["an 'open quote", ["an", "open quote"]],
  ["", []],
])("Z18: %j is split into words like in a shell", (line, words) => {
  expect(wordsIn(line)).toEqual(words);
});
