// Replies as redis-cli shows them.
import { bytesOfText } from "../../../../shared/base/byte-text.ts";
import { isError, isList, type Reply } from "../../databases/resp.ts";

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
