// RESP 2, the protocol of stores of keys and values, on a forwarded connection: parses commands, whose responses the pod encodes itself.
import { bytesOfText, lettersOfBytes, textOfLetters } from "../../../../shared/base/byte-text.ts";
import { type Conversation, type Exchange, type SessionBuffer, newShare, tooMuch } from "./conversation.ts";

/** The limits in bytes of a line and of an argument, and of the number of arguments and of waiting commands. */
const longestLine = 65_536;
const longestArgument = 262_144;
const mostArguments = 1024;
const mostWaiting = 1000;

export function newRespConversation(buffer: SessionBuffer): Conversation {
  const waiting: Exchange[] = [];
  const share = newShare(buffer);
  const commands = newCommands({
    command: (words, length) => {
      const release = () => share.set(share.bytes() - length);
      const name = words[0]?.toLowerCase();
      if (name === undefined) return release();
      // Closes the connection as servers do, because a browser may have been tricked into sending HTTP.
      const isForeign = name === "post" || name === "host:";
      const isLast = isForeign || name === "quit";
      const answer: Exchange["answer"] = (reply) => bytesOfText(reply?.body ?? "");
      waiting.push({ ...(isForeign ? {} : { step: { command: words } }), answer, done: release, isLast });
      if (isLast) commands.close();
    },
    wrong: (why) => {
      waiting.push({ answer: () => bytesOfText(`-ERR Protocol error: ${why}\r\n`), isLast: true });
      commands.close();
    },
  });
  return {
    next: () => waiting.shift(),
    end: () => share.set(0),
    take: (bytes) => {
      share.set(share.bytes() + bytes.length);
      commands.read(bytes);
      return share.isTooMuch() || waiting.length > mostWaiting ? tooMuch : undefined;
    },
  };
}

interface Found {
  /** `length` is the number of bytes of the command. */
  command(words: readonly string[], length: number): void;
  wrong(why: string): void;
}

/** Splits the bytes of a connection into commands. */
function newCommands(handlers: Found) {
  /** The input with one letter for each byte until the text is complete. */
  let pending = "";
  let length = 0;
  let isOver = false;
  let command: { readonly count: number; readonly words: string[] } | undefined;
  /** The bytes of the next argument. */
  let expected: number | undefined;
  const taken = (bytes: number): string => {
    const text = pending.slice(0, bytes);
    pending = pending.slice(bytes);
    length += bytes;
    return text;
  };
  const end = (words: readonly string[]) => {
    const all = length;
    length = 0;
    command = undefined;
    handlers.command(words, all);
  };
  /** Parses a line. Returns whether it was consumed, so that there may be more. */
  const line = (): boolean => {
    const at = pending.indexOf("\n");
    if (at < 0 && pending.length > longestLine) handlers.wrong("too big inline request");
    if (at < 0) return false;
    const text = taken(at + 1).replace(/\r?\n$/, "");
    const number = /^.(-?\d{1,15})$/.exec(text)?.[1];
    if (command) {
      const isLength = number !== undefined && Number(number) >= 0 && Number(number) <= longestArgument;
      if (!text.startsWith("$")) handlers.wrong(`expected '$', got '${text.slice(0, 1)}'`);
      else if (!isLength) handlers.wrong("invalid bulk length");
      else expected = Number(number);
    } else if (text.startsWith("*")) {
      const count = number === undefined ? Number.NaN : Number(number);
      if (!(count <= mostArguments)) handlers.wrong("invalid multibulk length");
      else if (count > 0) command = { count, words: [] };
    } else end(text.split(/\s+/).filter(Boolean).map(textOfLetters));
    return true;
  };
  const argument = ({ count, words }: NonNullable<typeof command>, bytes: number): boolean => {
    if (pending.length < bytes + 2) return false;
    words.push(textOfLetters(taken(bytes + 2).slice(0, bytes)));
    expected = undefined;
    if (words.length === count) end(words);
    return true;
  };
  return {
    read: (bytes: Uint8Array) => {
      pending += lettersOfBytes(bytes);
      while (!isOver && (command && expected !== undefined ? argument(command, expected) : line())) continue;
      if (isOver) pending = "";
    },
    close: () => {
      isOver = true;
    },
  };
}
