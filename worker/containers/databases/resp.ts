// RESP 2, the protocol of stores of keys and values: replies as values, and as they are sent.
import { byteLength, bytesOfText, textOfBytes } from "../../../shared/base/byte-text.ts";

/** The name of the protocol in requests and answers. */
export const respLanguage = "resp";

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

export function isList(reply: Reply): reply is readonly Reply[] {
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
