// RESP 2, the protocol of key-value stores: encodes and decodes replies.
import { byteLength, bytesOfText, textOfBytes } from "../../../shared/base/byte-text.ts";

/** The name of the protocol in requests and answers. */
export const respLanguage = "resp";

/** A status, a text, an integer, nothing, an error, or a list of replies. */
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

/** Encodes a reply in RESP 2. */
export function encodeReply(reply: Reply): string {
  if (reply === undefined) return "$-1\r\n";
  if (typeof reply === "number") return `:${reply}\r\n`;
  if (typeof reply === "string") return `$${byteLength(reply)}\r\n${reply}\r\n`;
  if (isList(reply)) return `*${reply.length}\r\n${reply.map(encodeReply).join("")}`;
  if ("status" in reply) return `+${reply.status}\r\n`;
  // An error is one line, whatever the request contained.
  return `-${reply.error.replace(/[\r\n]+/g, " ")}\r\n`;
}

/** Decodes a text that `encodeReply` wrote. */
export function decodeReply(text: string): Reply {
  return decodeFrom(text, 0).reply;
}

function decodeFrom(text: string, from: number): { readonly reply: Reply; readonly end: number } {
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
        const element = decodeFrom(text, at);
        all.push(element.reply);
        at = element.end;
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
