// Commands about texts and the numbers in them.
import {
  type Command,
  type Commands,
  fail,
  float,
  integer,
  numberText,
  ok,
  pairsOf,
  rangeOf,
  type Session,
  syntaxError,
} from "./command.ts";
import { keyMoment } from "./generic.ts";
import type { Reply } from "../../databases/resp.ts";

const textAt = ({ keys }: Session, key = "") => keys.of(key, "string")?.text;
const never = Number.POSITIVE_INFINITY;

function put({ keys }: Session, key: string, text: string, goneMs?: number): void {
  keys.set(key, { type: "string", text }, goneMs);
}

function set([key = "", text = "", ...options]: readonly string[], session: Session): Reply {
  const { keys } = session;
  let goneMs: number | undefined = never;
  const setOptions = new Set<string>();
  for (let at = 0; at < options.length; at++) {
    const name = (options[at] ?? "").toUpperCase();
    if (/^[EP]X(AT)?$/.test(name)) goneMs = keyMoment(session, name, options[++at], "set");
    else if (name === "KEEPTTL") goneMs = undefined;
    else if (["NX", "XX", "GET"].includes(name)) setOptions.add(name);
    else fail(syntaxError);
  }
  if (setOptions.has("NX") && setOptions.has("XX")) fail(syntaxError);
  const before = setOptions.has("GET") ? textAt(session, key) : undefined;
  const isThere = keys.get(key) !== undefined;
  if ((setOptions.has("NX") && isThere) || (setOptions.has("XX") && !isThere)) {
    session.note();
    return before;
  }
  put(session, key, text, goneMs);
  const storedExpiry = goneMs === undefined ? ["KEEPTTL"] : goneMs === never ? [] : ["PXAT", String(goneMs)];
  session.note("SET", key, text, ...storedExpiry);
  return setOptions.has("GET") ? before : ok;
}

function add(session: Session, key: string, more: number): Reply {
  const value = integer(textAt(session, key) ?? "0") + more;
  if (!Number.isSafeInteger(value)) fail("ERR increment or decrement would overflow");
  put(session, key, String(value));
  return value;
}

const setWith = (option: "EX" | "PX"): Command => ({
  takes: 3,
  writes: true,
  run: ([key = "", time = "", text = ""], session) => {
    const goneMs = keyMoment(session, option, time, option === "EX" ? "setex" : "psetex");
    put(session, key, text, goneMs);
    session.note("SET", key, text, "PXAT", String(goneMs));
    return ok;
  },
});

export const stringCommands: Commands = {
  GET: { takes: 1, run: ([key], session) => textAt(session, key) },
  SET: { takes: -2, writes: true, run: set },
  SETEX: setWith("EX"),
  PSETEX: setWith("PX"),
  SETNX: { takes: 2, writes: true, run: ([key = "", text = ""], session) => (set([key, text, "NX"], session) ? 1 : 0) },
  GETSET: { takes: 2, writes: true, run: ([key = "", text = ""], session) => set([key, text, "GET"], session) },
  GETDEL: {
    takes: 1,
    writes: true,
    run: ([key = ""], session) => {
      const text = textAt(session, key);
      session.keys.delete(key);
      return text;
    },
  },
  MGET: {
    takes: -1,
    run: (args, { keys }) =>
      args.map((key) => {
        const value = keys.get(key);
        return value?.type === "string" ? value.text : undefined;
      }),
  },
  MSET: {
    takes: -2,
    writes: true,
    run: (args, session) => {
      if (args.length % 2 !== 0) fail("ERR wrong number of arguments for 'mset' command");
      for (const [key, text] of pairsOf(args)) put(session, key, text, never);
      return ok;
    },
  },
  INCR: { takes: 1, writes: true, run: ([key = ""], session) => add(session, key, 1) },
  DECR: { takes: 1, writes: true, run: ([key = ""], session) => add(session, key, -1) },
  INCRBY: { takes: 2, writes: true, run: ([key = "", more], session) => add(session, key, integer(more)) },
  DECRBY: { takes: 2, writes: true, run: ([key = "", less], session) => add(session, key, -integer(less)) },
  INCRBYFLOAT: {
    takes: 2,
    writes: true,
    run: ([key = "", more], session) => {
      const text = numberText(float(textAt(session, key) ?? "0") + float(more));
      put(session, key, text);
      return text;
    },
  },
  APPEND: {
    takes: 2,
    writes: true,
    run: ([key = "", more = ""], session) => {
      const text = (textAt(session, key) ?? "") + more;
      put(session, key, text);
      return text.length;
    },
  },
  STRLEN: { takes: 1, run: ([key], session) => (textAt(session, key) ?? "").length },
  GETRANGE: {
    takes: 3,
    run: ([key, from, to], session) => rangeOf([...(textAt(session, key) ?? "")], integer(from), integer(to)).join(""),
  },
};
