// Splits the input of a terminal into keys and pasted texts.

/** A key by name (`up`, `ctrl-r`, `alt-b`), a letter, or a pasted text. `raw` is the original input. */
export type Key =
  | { readonly kind: "key"; readonly name: string; readonly raw: string }
  | { readonly kind: "text"; readonly text: string; readonly raw: string };

const sequences: Readonly<Record<string, string>> = {
  "[A": "up",
  "[B": "down",
  "[C": "right",
  "[D": "left",
  "[H": "home",
  "[F": "end",
  "[1~": "home",
  "[4~": "end",
  "[7~": "home",
  "[8~": "end",
  "[3~": "delete",
  "[5~": "page-up",
  "[6~": "page-down",
  "[1;5C": "alt-f",
  "[1;5D": "alt-b",
  "[1;3C": "alt-f",
  "[1;3D": "alt-b",
  "[3;5~": "alt-d",
  "[Z": "shift-tab",
};

const pasteStart = "\x1b[200~";
const pasteEnd = "\x1b[201~";

export function keysOf(data: string): Key[] {
  const keys: Key[] = [];
  for (let at = 0; at < data.length; ) {
    const key = keyAt(data, at);
    keys.push(key);
    at += key.raw.length;
  }
  return keys;
}

function keyAt(data: string, at: number): Key {
  if (data.startsWith(pasteStart, at)) {
    // The last end marker is used: a pasted text that contains one must not end early and have its rest typed.
    const markerIndex = data.lastIndexOf(pasteEnd);
    const end = markerIndex < at ? data.length : markerIndex;
    const text = data.slice(at + pasteStart.length, end).replace(/\r\n?/g, "\n");
    return { kind: "text", text, raw: data.slice(at, end + (markerIndex < at ? 0 : pasteEnd.length)) };
  }
  const raw = String.fromCodePoint(data.codePointAt(at) ?? 0);
  if (raw === "\x1b") return escapeAt(data, at);
  if (raw === "\r" || raw === "\n") return { kind: "key", name: "enter", raw };
  if (raw === "\t") return { kind: "key", name: "tab", raw };
  if (raw === "\x7f") return { kind: "key", name: "backspace", raw };
  if (raw < " ") return { kind: "key", name: `ctrl-${String.fromCharCode(raw.charCodeAt(0) + 96)}`, raw };
  return { kind: "text", text: raw, raw };
}

function escapeAt(data: string, at: number): Key {
  const [raw, sequence] = /^\x1b(\[[\d;?]*[A-Za-z~]|O[A-Z])/.exec(data.slice(at, at + 12)) ?? [];
  if (raw !== undefined && sequence !== undefined)
    return { kind: "key", name: sequences[sequence.replace("O", "[")] ?? "unknown", raw };
  const next = data.charAt(at + 1);
  if (next === "") return { kind: "key", name: "escape", raw: "\x1b" };
  return { kind: "key", name: next === "\x7f" ? "alt-backspace" : `alt-${next.toLowerCase()}`, raw: `\x1b${next}` };
}
