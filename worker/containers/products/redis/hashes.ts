// Commands about hashes, which have fields with texts.
import { type Command, type Commands, fail, integer, ok, pairsOf, type Session } from "./command.ts";

const fieldsAt = ({ keys }: Session, key = ""): ReadonlyMap<string, string> =>
  keys.of(key, "hash")?.fields ?? new Map();

/** Sets fields. Returns how many of them are new. */
function put(session: Session, key: string, args: readonly string[], command: string): number {
  if (args.length === 0 || args.length % 2 !== 0) fail(`ERR wrong number of arguments for '${command}' command`);
  const before = fieldsAt(session, key);
  const fields = new Map([...before, ...pairsOf(args)]);
  session.keys.set(key, { type: "hash", fields });
  return fields.size - before.size;
}

const reading = (of: (fields: ReadonlyMap<string, string>) => readonly string[]): Command => ({
  takes: 1,
  run: ([key], session) => of(fieldsAt(session, key)),
});

export const hashCommands: Commands = {
  HSET: { takes: -3, writes: true, run: ([key = "", ...args], session) => put(session, key, args, "hset") },
  HMSET: {
    takes: -3,
    writes: true,
    run: ([key = "", ...args], session) => {
      put(session, key, args, "hmset");
      return ok;
    },
  },
  HSETNX: {
    takes: 3,
    writes: true,
    run: ([key = "", field = "", text = ""], session) =>
      fieldsAt(session, key).has(field) ? 0 : put(session, key, [field, text], "hsetnx"),
  },
  HGET: { takes: 2, run: ([key, field = ""], session) => fieldsAt(session, key).get(field) },
  HMGET: { takes: -2, run: ([key, ...names], session) => names.map((name) => fieldsAt(session, key).get(name)) },
  HGETALL: reading((fields) => [...fields].flat()),
  HKEYS: reading((fields) => [...fields.keys()]),
  HVALS: reading((fields) => [...fields.values()]),
  HLEN: { takes: 1, run: ([key], session) => fieldsAt(session, key).size },
  HEXISTS: { takes: 2, run: ([key, field = ""], session) => Number(fieldsAt(session, key).has(field)) },
  HDEL: {
    takes: -2,
    writes: true,
    run: ([key = "", ...names], session) => {
      const fields = new Map(fieldsAt(session, key));
      const removed = names.filter((name) => fields.delete(name)).length;
      session.keys.set(key, { type: "hash", fields });
      return removed;
    },
  },
  HINCRBY: {
    takes: 3,
    writes: true,
    run: ([key = "", field = "", more], session) => {
      const before = fieldsAt(session, key).get(field) ?? "0";
      if (!/^-?\d+$/.test(before)) fail("ERR hash value is not an integer");
      const value = Number(before) + integer(more);
      put(session, key, [field, String(value)], "hincrby");
      return value;
    },
  },
};
