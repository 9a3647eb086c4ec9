// Commands about sets.
import { type Command, type Commands, integer, type Session } from "./command.ts";
import type { Reply } from "../../databases/resp.ts";

const membersAt = ({ keys }: Session, key = ""): ReadonlySet<string> => keys.of(key, "set")?.members ?? new Set();

function put({ keys }: Session, key: string, members: ReadonlySet<string>): void {
  keys.set(key, { type: "set", members });
}

type Combine = (first: readonly string[], others: readonly ReadonlySet<string>[]) => readonly string[];

const combined = (args: readonly string[], session: Session, combine: Combine) => {
  const [first = new Set<string>(), ...others] = args.map((key) => membersAt(session, key));
  return combine([...first], others);
};
const combining = (combine: Combine): Command => ({
  takes: -1,
  run: (args, session) => combined(args, session, combine),
});
const storing = (combine: Combine): Command => ({
  takes: -2,
  writes: true,
  run: ([to = "", ...args], session) => {
    const found = new Set(combined(args, session, combine));
    put(session, to, found);
    return found.size;
  },
});

const inAll: Combine = (first, others) => first.filter((one) => others.every((set) => set.has(one)));
const inAny: Combine = (first, others) => [...new Set([...first, ...others.flatMap((set) => [...set])])];
const inNoOther: Combine = (first, others) => first.filter((one) => !others.some((set) => set.has(one)));

function picked({ random }: Session, members: ReadonlySet<string>, count: number): string[] {
  const left = [...members];
  const found: string[] = [];
  while (found.length < count && left.length > 0) found.push(...left.splice(Math.floor(random() * left.length), 1));
  return found;
}

function one(found: readonly string[], count: string | undefined): Reply {
  return count === undefined ? found[0] : found;
}

export const setCommands: Commands = {
  SADD: {
    takes: -2,
    writes: true,
    run: ([key = "", ...more], session) => {
      const before = membersAt(session, key);
      const after = new Set([...before, ...more]);
      put(session, key, after);
      return after.size - before.size;
    },
  },
  SREM: {
    takes: -2,
    writes: true,
    run: ([key = "", ...less], session) => {
      const members = new Set(membersAt(session, key));
      const removed = less.filter((each) => members.delete(each)).length;
      put(session, key, members);
      return removed;
    },
  },
  SMEMBERS: { takes: 1, run: ([key], session) => [...membersAt(session, key)] },
  SISMEMBER: { takes: 2, run: ([key, member = ""], session) => Number(membersAt(session, key).has(member)) },
  SCARD: { takes: 1, run: ([key], session) => membersAt(session, key).size },
  SINTER: combining(inAll),
  SUNION: combining(inAny),
  SDIFF: combining(inNoOther),
  SINTERSTORE: storing(inAll),
  SUNIONSTORE: storing(inAny),
  SDIFFSTORE: storing(inNoOther),
  SRANDMEMBER: {
    takes: -1,
    run: ([key, count], session) => one(picked(session, membersAt(session, key), integer(count ?? "1")), count),
  },
  SPOP: {
    takes: -1,
    writes: true,
    run: ([key = "", count], session) => {
      const members = membersAt(session, key);
      const found = picked(session, members, integer(count ?? "1"));
      put(session, key, new Set([...members].filter((each) => !found.includes(each))));
      session.note(...(found.length > 0 ? ["SREM", key, ...found] : []));
      return one(found, count);
    },
  },
};
