// What a server of Redis replies: as values, in its protocol (RESP 2), and as redis-cli shows it.
import { byteLength, bytesOfText, textOfBytes } from "../../../../shared/base/byte-text.ts";

/** A status, a text, a whole number, nothing, a failure, a list of such. */
export type Reply =
  | { readonly status: string }
  | { readonly error: string }
  | string
  | number
  | undefined
  | readonly Reply[];

export function isError(reply: Reply): reply is { readonly error: string } {
  return typeof reply === "object" && "error" in reply;
}

function isList(reply: Reply): reply is readonly Reply[] {
  return Array.isArray(reply);
}

/** In RESP 2. */
export function spoken(reply: Reply): string {
  if (reply === undefined) return "$-1\r\n";
  if (typeof reply === "number") return `:${reply}\r\n`;
  if (typeof reply === "string") return `$${byteLength(reply)}\r\n${reply}\r\n`;
  if (isList(reply)) return `*${reply.length}\r\n${reply.map(spoken).join("")}`;
  if ("status" in reply) return `+${reply.status}\r\n`;
  // One line, whatever was asked.
  return `-${reply.error.replace(/[\r\n]+/g, " ")}\r\n`;
}

/** What `spoken` wrote. */
export function heard(text: string): Reply {
  return heardFrom(text, 0).reply;
}

function heardFrom(text: string, from: number): { readonly reply: Reply; readonly end: number } {
  const lineEnd = text.indexOf("\r\n", from);
  const line = text.slice(from + 1, lineEnd);
  const end = lineEnd + 2;
  switch (text.charAt(from)) {
    case "+":
      return { reply: { status: line }, end };
    case "-":
      return { reply: { error: line }, end };
    case ":":
      return { reply: Number(line), end };
    case "*": {
      const all: Reply[] = [];
      let at = end;
      for (let left = Number(line); left > 0; left--) {
        const one = heardFrom(text, at);
        all.push(one.reply);
        at = one.end;
      }
      return { reply: all, end: at };
    }
    default: {
      const length = Number(line);
      if (length < 0) return { reply: undefined, end };
      const isPlain = byteLength(text.slice(end, end + length)) === length;
      const body = isPlain
        ? text.slice(end, end + length)
        : textOfBytes(bytesOfText(text.slice(end)).subarray(0, length));
      return { reply: body, end: end + body.length + 2 };
    }
  }
}

/** As a terminal shows it (`isSeen`), or as another program reads it. */
export function shown(reply: Reply, isSeen: boolean): string {
  if (isSeen) return told(reply, "");
  if (isError(reply)) return `${reply.error}\n\n`;
  return `${plain(reply)}\n`;
}

function plain(reply: Reply): string {
  if (reply === undefined) return "";
  if (typeof reply === "number" || typeof reply === "string") return String(reply);
  if (isList(reply)) return reply.map(plain).join("\n");
  return "status" in reply ? reply.status : reply.error;
}

function told(reply: Reply, indent: string): string {
  if (reply === undefined) return "(nil)\n";
  if (typeof reply === "number") return `(integer) ${reply}\n`;
  if (typeof reply === "string") return reply.includes("\r\n") ? `${reply}\n` : `${quoted(reply)}\n`;
  if (!isList(reply)) return "status" in reply ? `${reply.status}\n` : `(error) ${reply.error}\n`;
  if (reply.length === 0) return "(empty array)\n";
  const width = String(reply.length).length;
  return reply
    .map((one, at) => {
      const number = `${String(at + 1).padStart(width)}) `;
      return `${at === 0 ? "" : indent}${number}${told(one, indent + " ".repeat(number.length))}`;
    })
    .join("");
}

/** As redis-cli writes a text: what is no ASCII as bytes. */
function quoted(text: string): string {
  const bytes = [...bytesOfText(text)].map((one) => {
    const letter = String.fromCharCode(one);
    if (letter === '"' || letter === "\\") return `\\${letter}`;
    if (one >= 32 && one < 127) return letter;
    const short = { 7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 13: "\\r" }[one];
    return short ?? `\\x${one.toString(16).padStart(2, "0")}`;
  });
  return `"${bytes.join("")}"`;
}
