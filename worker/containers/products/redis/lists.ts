// Commands about lists.
import { type Command, type Commands, fail, integer, ok, rangeOf, type Session } from "./command.ts";
import type { Reply } from "../../databases/resp.ts";

const itemsAt = ({ keys }: Session, key = "") => keys.of(key, "list")?.items ?? [];

function put({ keys }: Session, key: string, items: readonly string[]): number {
  keys.set(key, { type: "list", items });
  return items.length;
}

const pushing = (isLeft: boolean, onlyThere = false): Command => ({
  takes: -2,
  writes: true,
  run: ([key = "", ...more], session) => {
    const items = itemsAt(session, key);
    if (onlyThere && items.length === 0) return 0;
    return put(session, key, isLeft ? [...more.reverse(), ...items] : [...items, ...more]);
  },
});

function popped(session: Session, key: string, isLeft: boolean, count: number): readonly string[] {
  const items = itemsAt(session, key);
  const from = Math.max(0, items.length - count);
  put(session, key, isLeft ? items.slice(count) : items.slice(0, from));
  return isLeft ? items.slice(0, count) : items.slice(from).reverse();
}

const popping = (isLeft: boolean): Command => ({
  takes: -1,
  writes: true,
  run: ([key = "", count], session): Reply => {
    if (count === undefined) return popped(session, key, isLeft, 1)[0];
    if (integer(count) < 0) fail("ERR value is out of range, must be positive");
    const items = popped(session, key, isLeft, integer(count));
    return items.length === 0 ? undefined : items;
  },
});

/** Returns a blocking command, which does not wait here: the client repeats it. */
const blocking = (isLeft: boolean): Command => ({
  takes: -2,
  writes: true,
  run: (args, session): Reply => {
    const key = args.slice(0, -1).find((name) => itemsAt(session, name).length > 0);
    session.note();
    if (key === undefined) return undefined;
    session.note(isLeft ? "LPOP" : "RPOP", key);
    return [key, ...popped(session, key, isLeft, 1)];
  },
});

function moved(session: Session, from: string, to: string, isLeft: boolean, goesLeft: boolean): Reply {
  itemsAt(session, to);
  const [item] = popped(session, from, isLeft, 1);
  if (item === undefined) return undefined;
  const items = itemsAt(session, to);
  put(session, to, goesLeft ? [item, ...items] : [...items, item]);
  return item;
}

export const listCommands: Commands = {
  LPUSH: pushing(true),
  RPUSH: pushing(false),
  LPUSHX: pushing(true, true),
  RPUSHX: pushing(false, true),
  LPOP: popping(true),
  RPOP: popping(false),
  BLPOP: blocking(true),
  BRPOP: blocking(false),
  LLEN: { takes: 1, run: ([key], session) => itemsAt(session, key).length },
  LRANGE: {
    takes: 3,
    run: ([key, from, to], session) => rangeOf(itemsAt(session, key), integer(from), integer(to)),
  },
  LINDEX: { takes: 2, run: ([key, at], session) => itemsAt(session, key).at(integer(at)) },
  LSET: {
    takes: 3,
    writes: true,
    run: ([key = "", at, text = ""], session) => {
      const items = [...itemsAt(session, key)];
      if (items.length === 0) fail("ERR no such key");
      const place = integer(at) < 0 ? items.length + integer(at) : integer(at);
      if (place < 0 || place >= items.length) fail("ERR index out of range");
      items[place] = text;
      put(session, key, items);
      return ok;
    },
  },
  LREM: {
    takes: 3,
    writes: true,
    run: ([key = "", count, text], session) => {
      const items = itemsAt(session, key);
      const most = integer(count);
      const ordered = most < 0 ? [...items].reverse() : items;
      let removed = 0;
      const left = ordered.filter(
        (item) => item !== text || (most !== 0 && removed >= Math.abs(most)) || removed++ < 0,
      );
      put(session, key, most < 0 ? left.reverse() : left);
      return items.length - left.length;
    },
  },
  LTRIM: {
    takes: 3,
    writes: true,
    run: ([key = "", from, to], session) => {
      put(session, key, rangeOf(itemsAt(session, key), integer(from), integer(to)));
      return ok;
    },
  },
  RPOPLPUSH: { takes: 2, writes: true, run: ([from = "", to = ""], session) => moved(session, from, to, false, true) },
  LMOVE: {
    takes: 4,
    writes: true,
    run: ([from = "", to = "", a = "", b = ""], session) =>
      moved(session, from, to, a.toUpperCase() === "LEFT", b.toUpperCase() === "LEFT"),
  },
};
