// Formats replies as redis-cli does.
import { bytesOfText } from "../../../../shared/base/byte-text.ts";
import { isError, isList, type Reply } from "../../databases/resp.ts";

/** Formats a reply for a terminal (`isSeen`), or for another program. */
export function formatReply(reply: Reply, isSeen: boolean): string {
  if (isSeen) return terminalText(reply, "");
  if (isError(reply)) return `${reply.error}\n\n`;
  return `${plain(reply)}\n`;
}

function plain(reply: Reply): string {
  if (reply === undefined) return "";
  if (typeof reply === "number" || typeof reply === "string") return String(reply);
  if (isList(reply)) return reply.map(plain).join("\n");
  return "status" in reply ? reply.status : reply.error;
}

function terminalText(reply: Reply, indent: string): string {
  if (reply === undefined) return "(nil)\n";
  if (typeof reply === "number") return `(integer) ${reply}\n`;
  if (typeof reply === "string") return reply.includes("\r\n") ? `${reply}\n` : `${quoted(reply)}\n`;
  if (!isList(reply)) return "status" in reply ? `${reply.status}\n` : `(error) ${reply.error}\n`;
  if (reply.length === 0) return "(empty array)\n";
  const width = String(reply.length).length;
  return reply
    .map((element, at) => {
      const number = `${String(at + 1).padStart(width)}) `;
      return `${at === 0 ? "" : indent}${number}${terminalText(element, indent + " ".repeat(number.length))}`;
    })
    .join("");
}

/** Quotes a text as redis-cli does. Characters outside ASCII are written as bytes. */
function quoted(text: string): string {
  const bytes = [...bytesOfText(text)].map((byte) => {
    const letter = String.fromCharCode(byte);
    if (letter === '"' || letter === "\\") return `\\${letter}`;
    if (byte >= 32 && byte < 127) return letter;
    const short = { 7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 13: "\\r" }[byte];
    return short ?? `\\x${byte.toString(16).padStart(2, "0")}`;
  });
  return `"${bytes.join("")}"`;
}
