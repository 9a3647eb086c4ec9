// Commands about keys of any type: existence, names and expiry.
import { globMatches, globOf } from "../../../../shared/shell/patterns/glob.ts";
import { type Command, type Commands, fail, integer, ok, type Session, syntaxError } from "./command.ts";
import type { Value } from "./keys.ts";

const never = Number.POSITIVE_INFINITY;

/** Returns the time that an expiry option or command of this name means. */
export function keyMoment({ nowMs }: Session, name: string, text: string | undefined, command: string): number {
  const value = integer(text);
  if (value <= 0) fail(`ERR invalid expire time in '${command}' command`);
  const ms = name.startsWith("P") ? value : value * 1000;
  return name.endsWith("AT") ? ms : nowMs + ms;
}

/** Returns a command such as `EXPIRE`. A time in the past deletes the key at once. */
const expiring = (name: string): Command => ({
  takes: -2,
  writes: true,
  run: ([key = "", time, option = ""], session) => {
    const { keys, nowMs } = session;
    const value = integer(time);
    const ms = name.startsWith("P") ? value : value * 1000;
    const goneMs = name.endsWith("AT") ? ms : nowMs + ms;
    const storedValue = keys.get(key);
    const before = keys.goneMs(key);
    const fits =
      { "": true, NX: before === never, XX: before !== never, GT: goneMs > before, LT: goneMs < before }[
        option.toUpperCase()
      ] ?? fail(`ERR Unsupported option ${option}`);
    if (!storedValue || !fits) {
      session.note();
      return 0;
    }
    keys.set(key, storedValue, goneMs);
    session.note("PEXPIREAT", key, String(goneMs));
    return 1;
  },
});

const leftOf = (unitMs: number): Command => ({
  takes: 1,
  run: ([key = ""], { keys, nowMs }) => {
    if (!keys.get(key)) return -2;
    const goneMs = keys.goneMs(key);
    return goneMs === never ? -1 : Math.ceil((goneMs - nowMs) / unitMs);
  },
});

const removing: Command = {
  takes: -1,
  writes: true,
  run: (args, { keys }) => args.filter((key) => keys.delete(key)).length,
};

function named(session: Session, pattern: string): string[] {
  const glob = globOf(pattern);
  // The number of keys is bounded.
  return session.keys.names().filter((key) => globMatches(glob, key, () => true));
}

function encoding(value: Value): string {
  if (value.type === "string")
    return /^-?\d{1,18}$/.test(value.text) ? "int" : value.text.length <= 44 ? "embstr" : "raw";
  if (value.type === "set")
    return [...value.members].every((member) => /^-?\d{1,18}$/.test(member)) ? "intset" : "listpack";
  return "listpack";
}

export const genericCommands: Commands = {
  DEL: removing,
  UNLINK: removing,
  EXISTS: { takes: -1, run: (args, { keys }) => args.filter((key) => keys.get(key)).length },
  TYPE: { takes: 1, run: ([key = ""], { keys }) => ({ status: keys.get(key)?.type ?? "none" }) },
  KEYS: { takes: 1, run: ([pattern = ""], session) => named(session, pattern) },
  SCAN: {
    takes: -1,
    run: (args, session) => {
      const at = args.findIndex((arg) => arg.toUpperCase() === "MATCH");
      integer(args[0]);
      return ["0", named(session, at < 0 ? "*" : (args[at + 1] ?? "*"))];
    },
  },
  RANDOMKEY: {
    takes: 0,
    run: (_, { keys, random }) => {
      const names = keys.names();
      return names[Math.floor(random() * names.length)];
    },
  },
  RENAME: {
    takes: 2,
    writes: true,
    run: ([from = "", to = ""], { keys }) => {
      const value = keys.get(from) ?? fail("ERR no such key");
      const goneMs = keys.goneMs(from);
      keys.delete(from);
      keys.set(to, value, goneMs);
      return ok;
    },
  },
  EXPIRE: expiring("EX"),
  PEXPIRE: expiring("PEX"),
  EXPIREAT: expiring("EXAT"),
  PEXPIREAT: expiring("PEXAT"),
  TTL: leftOf(1000),
  PTTL: leftOf(1),
  PERSIST: {
    takes: 1,
    writes: true,
    run: ([key = ""], { keys }) => {
      const value = keys.get(key);
      if (!value || keys.goneMs(key) === never) return 0;
      keys.set(key, value, never);
      return 1;
    },
  },
  OBJECT: {
    takes: -1,
    run: ([what = "", key = ""], { keys }) => {
      if (what.toUpperCase() !== "ENCODING") fail(syntaxError);
      const value = keys.get(key);
      return value && encoding(value);
    },
  },
  DBSIZE: { takes: 0, run: (_, { keys }) => keys.names().length },
  FLUSHDB: {
    takes: "any",
    writes: true,
    run: (_, { keys }) => {
      keys.clear(false);
      return ok;
    },
  },
  FLUSHALL: {
    takes: "any",
    writes: true,
    run: (_, { keys }) => {
      keys.clear(true);
      return ok;
    },
  },
};
