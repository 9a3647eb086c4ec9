// Commands about sets.
import { type Command, type Commands, integer, type Session } from "./command.ts";
import type { Reply } from "../../databases/resp.ts";

const membersAt = ({ keys }: Session, key = ""): ReadonlySet<string> => keys.of(key, "set")?.members ?? new Set();

function put({ keys }: Session, key: string, members: ReadonlySet<string>): void {
  keys.set(key, { type: "set", members });
}

type Combine = (first: readonly string[], otherSets: readonly ReadonlySet<string>[]) => readonly string[];

const combined = (args: readonly string[], session: Session, combine: Combine) => {
  const [first = new Set<string>(), ...otherSets] = args.map((key) => membersAt(session, key));
  return combine([...first], otherSets);
};
const combining = (combine: Combine): Command => ({
  takes: -1,
  run: (args, session) => combined(args, session, combine),
});
const storing = (combine: Combine): Command => ({
  takes: -2,
  writes: true,
  run: ([to = "", ...args], session) => {
    const members = new Set(combined(args, session, combine));
    put(session, to, members);
    return members.size;
  },
});

const inAll: Combine = (first, otherSets) => first.filter((member) => otherSets.every((set) => set.has(member)));
const inAny: Combine = (first, otherSets) => [...new Set([...first, ...otherSets.flatMap((set) => [...set])])];
const inNoOther: Combine = (first, otherSets) => first.filter((member) => !otherSets.some((set) => set.has(member)));

function picked({ random }: Session, members: ReadonlySet<string>, count: number): string[] {
  const left = [...members];
  const pickedMembers: string[] = [];
  while (pickedMembers.length < count && left.length > 0)
    pickedMembers.push(...left.splice(Math.floor(random() * left.length), 1));
  return pickedMembers;
}

function oneOrAll(members: readonly string[], count: string | undefined): Reply {
  return count === undefined ? members[0] : members;
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
    run: ([key, count], session) => oneOrAll(picked(session, membersAt(session, key), integer(count ?? "1")), count),
  },
  SPOP: {
    takes: -1,
    writes: true,
    run: ([key = "", count], session) => {
      const members = membersAt(session, key);
      const pickedMembers = picked(session, members, integer(count ?? "1"));
      put(session, key, new Set([...members].filter((each) => !pickedMembers.includes(each))));
      session.note(...(pickedMembers.length > 0 ? ["SREM", key, ...pickedMembers] : []));
      return oneOrAll(pickedMembers, count);
    },
  },
};
