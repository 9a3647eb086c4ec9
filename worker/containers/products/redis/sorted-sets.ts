// Commands about sorted sets, whose members are sorted by score and then by name.
import {
  type Command,
  type Commands,
  fail,
  float,
  integer,
  numberText,
  rangeOf,
  type Session,
  syntaxError,
} from "./command.ts";
import type { Reply } from "../../databases/resp.ts";

const scoresAt = ({ keys }: Session, key = ""): ReadonlyMap<string, number> =>
  keys.of(key, "zset")?.scores ?? new Map();

type Ranked = readonly (readonly [member: string, score: number])[];

function ranked(session: Session, key: string | undefined, isReverse = false): Ranked {
  const all = [...scoresAt(session, key)].sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1));
  return isReverse ? all.reverse() : all;
}

function put({ keys }: Session, key: string, scores: ReadonlyMap<string, number>): void {
  keys.set(key, { type: "zset", scores });
}

function listed(entries: Ranked, withScores: boolean): Reply {
  return entries.flatMap(([member, score]) => (withScores ? [member, numberText(score)] : [member]));
}

/** Parses `5`, `(5` and `-inf`. */
function bound(text = ""): (score: number, isLeast: boolean) => boolean {
  const isOpen = text.startsWith("(");
  const value = boundValue(isOpen ? text.slice(1) : text);
  return (score, isLeast) => {
    if (score === value) return !isOpen;
    return isLeast ? score > value : score < value;
  };
}

function boundValue(text: string): number {
  try {
    return float(text);
  } catch {
    return fail("ERR min or max is not a float");
  }
}

function within(entries: Ranked, least: string | undefined, most: string | undefined): Ranked {
  const [from, to] = [bound(least), bound(most)];
  return entries.filter(([, score]) => from(score, true) && to(score, false));
}

function limited(entries: Ranked, options: readonly string[]): Ranked {
  const at = options.findIndex((option) => option.toUpperCase() === "LIMIT");
  if (at < 0) return entries;
  const [offset, count] = [integer(options[at + 1]), integer(options[at + 2])];
  return entries.slice(offset, count < 0 ? undefined : offset + count);
}

const hasOption = (options: readonly string[], name: string) => options.some((option) => option.toUpperCase() === name);

function add([key = "", ...args]: readonly string[], session: Session): Reply {
  const scores = new Map(scoresAt(session, key));
  const options = new Set<string>();
  let at = 0;
  for (; /^(NX|XX|GT|LT|CH|INCR)$/i.test(args[at] ?? ""); at++) options.add((args[at] ?? "").toUpperCase());
  const pairs = args.slice(at);
  if (pairs.length === 0 || pairs.length % 2 !== 0) fail(syntaxError);
  let [added, changed] = [0, 0];
  for (let each = 0; each < pairs.length; each += 2) {
    const [score, member = ""] = [float(pairs[each]), pairs[each + 1]];
    const before = scores.get(member);
    const isHeld =
      before === undefined
        ? options.has("XX")
        : options.has("NX") || (options.has("GT") && score <= before) || (options.has("LT") && score >= before);
    if (isHeld) continue;
    if (before === undefined) added++;
    else if (before !== score) changed++;
    scores.set(member, score);
  }
  put(session, key, scores);
  return options.has("CH") ? added + changed : added;
}

const ranking = (isReverse: boolean): Command => ({
  takes: 2,
  run: ([key, member], session) => {
    const at = ranked(session, key, isReverse).findIndex(([candidate]) => candidate === member);
    return at < 0 ? undefined : at;
  },
});

const popping = (isReverse: boolean): Command => ({
  takes: -1,
  writes: true,
  run: ([key = "", count = "1"], session) => {
    const poppedEntries = ranked(session, key, isReverse).slice(0, integer(count));
    const gone = new Set(poppedEntries.map(([member]) => member));
    put(session, key, new Map([...scoresAt(session, key)].filter(([member]) => !gone.has(member))));
    return listed(poppedEntries, true);
  },
});

const removing = (which: (args: readonly string[], all: Ranked) => Ranked): Command => ({
  takes: 3,
  writes: true,
  run: (args, session) => {
    const [key = ""] = args;
    const gone = new Set(which(args, ranked(session, key)).map(([member]) => member));
    put(session, key, new Map([...scoresAt(session, key)].filter(([member]) => !gone.has(member))));
    return gone.size;
  },
});

/** Stores a combination of sets. The scores of a member in several sets are added up. */
const storing = (isInter: boolean): Command => ({
  takes: -3,
  writes: true,
  run: ([to = "", count, ...rest], session) => {
    const sources = rest.slice(0, integer(count)).map((key) => scoresAt(session, key));
    const all = new Set(sources.flatMap((source) => [...source.keys()]));
    const scores = new Map<string, number>();
    for (const member of all) {
      const scoresOfMember = sources.flatMap((source) => source.get(member) ?? []);
      if (!isInter || scoresOfMember.length === sources.length)
        scores.set(
          member,
          scoresOfMember.reduce((sum, score) => sum + score, 0),
        );
    }
    put(session, to, scores);
    return scores.size;
  },
});

function range([key, from, to, ...options]: readonly string[], session: Session, reverse = false): Reply {
  const isReverse = reverse || hasOption(options, "REV");
  const all = ranked(session, key, isReverse);
  const withScores = hasOption(options, "WITHSCORES");
  if (hasOption(options, "BYSCORE"))
    return listed(limited(isReverse ? within(all, to, from) : within(all, from, to), options), withScores);
  return listed(rangeOf(all, integer(from), integer(to)), withScores);
}

export const sortedSetCommands: Commands = {
  ZADD: { takes: -3, writes: true, run: add },
  ZREM: {
    takes: -2,
    writes: true,
    run: ([key = "", ...members], session) => {
      const scores = new Map(scoresAt(session, key));
      const removed = members.filter((member) => scores.delete(member)).length;
      put(session, key, scores);
      return removed;
    },
  },
  ZINCRBY: {
    takes: 3,
    writes: true,
    run: ([key = "", more, member = ""], session) => {
      const scores = scoresAt(session, key);
      const score = (scores.get(member) ?? 0) + float(more);
      put(session, key, new Map([...scores, [member, score]]));
      return numberText(score);
    },
  },
  ZSCORE: {
    takes: 2,
    run: ([key, member = ""], session) => {
      const score = scoresAt(session, key).get(member);
      return score === undefined ? undefined : numberText(score);
    },
  },
  ZCARD: { takes: 1, run: ([key], session) => scoresAt(session, key).size },
  ZCOUNT: { takes: 3, run: ([key, least, most], session) => within(ranked(session, key), least, most).length },
  ZRANK: ranking(false),
  ZREVRANK: ranking(true),
  ZRANGE: { takes: -3, run: (args, session) => range(args, session) },
  ZREVRANGE: { takes: -3, run: (args, session) => range(args, session, true) },
  ZRANGEBYSCORE: {
    takes: -3,
    run: ([key = "", ...args], session) => range([key, ...args, "BYSCORE"], session),
  },
  ZREVRANGEBYSCORE: {
    takes: -3,
    run: ([key = "", ...args], session) => range([key, ...args, "BYSCORE"], session, true),
  },
  ZMSCORE: {
    takes: -2,
    run: ([key, ...members], session) =>
      members.map((member) => {
        const score = scoresAt(session, key).get(member);
        return score === undefined ? undefined : numberText(score);
      }),
  },
  ZREMRANGEBYSCORE: removing(([, least, most], all) => within(all, least, most)),
  ZREMRANGEBYRANK: removing(([, from, to], all) => rangeOf(all, integer(from), integer(to))),
  ZUNIONSTORE: storing(false),
  ZINTERSTORE: storing(true),
  ZPOPMIN: popping(false),
  ZPOPMAX: popping(true),
};
