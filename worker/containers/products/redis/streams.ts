// Commands about streams: entries in the order of their identifiers, and groups of consumers with what each has not acknowledged.
import { type Command, type Commands, fail, integer, ok, type Session, syntaxError } from "./command.ts";
import type { Group, Stream } from "./keys.ts";
import type { Reply } from "../../databases/resp.ts";

const invalid = "ERR Invalid stream ID specified as stream command argument";

interface Id {
  readonly ms: number;
  readonly count: number;
}

function idOf(text: string, missing = 0): Id {
  const [, ms = "", count] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(text) ?? fail(invalid);
  return { ms: Number(ms), count: count === undefined ? missing : Number(count) };
}

const isAfter = (a: Id, b: Id) => a.ms > b.ms || (a.ms === b.ms && a.count > b.count);
const textOf = ({ ms, count }: Id) => `${ms}-${count}`;
const last = Number.MAX_SAFE_INTEGER;

function streamAt({ keys }: Session, key = ""): Stream {
  return keys.of(key, "stream") ?? { type: "stream", entries: [], lastId: "0-0", groups: new Map() };
}

const shownEntry = ([id, fields]: Stream["entries"][number]): Reply => [id, fields];

function add([key = "", ...args]: readonly string[], session: Session): Reply {
  let at = 0;
  let most: number | undefined;
  let isOnlyThere = false;
  for (; /^(nomkstream|maxlen)$/i.test(args[at] ?? ""); at++) {
    if (/^nomkstream$/i.test(args[at] ?? "")) isOnlyThere = true;
    else {
      if (/^[~=]$/.test(args[at + 1] ?? "")) at++;
      most = integer(args[++at]);
    }
  }
  const [given = "", ...fields] = args.slice(at);
  if (fields.length === 0 || fields.length % 2 !== 0) fail("ERR wrong number of arguments for 'xadd' command");
  const before = streamAt(session, key);
  if (isOnlyThere && before.entries.length === 0) {
    session.note();
    return undefined;
  }
  const newest = idOf(before.lastId);
  const own =
    given === "*"
      ? next(newest, session.nowMs)
      : given.endsWith("-*")
        ? following(newest, Number(given.slice(0, -2)))
        : idOf(given);
  if (!isAfter(own, { ms: 0, count: 0 })) fail("ERR The ID specified in XADD must be greater than 0-0");
  if (!isAfter(own, newest)) fail("ERR The ID specified in XADD is equal or smaller than the target stream top item");
  const entries = [...before.entries, [textOf(own), fields] as const];
  const kept = most === undefined ? entries : entries.slice(Math.max(0, entries.length - most));
  session.keys.set(key, { ...before, entries: kept, lastId: textOf(own) });
  session.note("XADD", key, ...(most === undefined ? [] : ["MAXLEN", String(most)]), textOf(own), ...fields);
  return textOf(own);
}

function next(newest: Id, nowMs: number): Id {
  return nowMs > newest.ms ? { ms: nowMs, count: 0 } : { ms: newest.ms, count: newest.count + 1 };
}

function following(newest: Id, ms: number): Id {
  return { ms, count: newest.ms === ms ? newest.count + 1 : 0 };
}

function range([key, from = "", to = "", how, count]: readonly string[], session: Session, isReverse = false): Reply {
  const [low, high] = isReverse ? [to, from] : [from, to];
  const bound = (text: string, missing: number) => {
    const plain = text.replace(/^\(/, "");
    return plain === "-" ? { ms: 0, count: 0 } : plain === "+" ? { ms: last, count: last } : idOf(plain, missing);
  };
  const [least, most] = [bound(low, 0), bound(high, last)];
  const found = streamAt(session, key).entries.filter(([text]) => {
    const id = idOf(text);
    const isLow = low.startsWith("(") ? isAfter(id, least) : !isAfter(least, id);
    return isLow && (high.startsWith("(") ? isAfter(most, id) : !isAfter(id, most));
  });
  if (how !== undefined && how.toUpperCase() !== "COUNT") fail(syntaxError);
  const ordered = isReverse ? found.reverse() : found;
  return ordered.slice(0, how === undefined ? undefined : integer(count)).map(shownEntry);
}

interface Reading {
  readonly count: number | undefined;
  readonly isKept: boolean;
  readonly streams: readonly (readonly [key: string, id: string])[];
}

function readingOf(args: readonly string[]): Reading {
  const at = args.findIndex((one) => one.toUpperCase() === "STREAMS");
  const rest = args.slice(at + 1);
  if (at < 0 || rest.length === 0 || rest.length % 2 !== 0)
    fail("ERR Unbalanced 'xread' list of streams: for each stream key an ID, '+', or '$' must be specified.");
  const options = args.slice(0, at).map((one) => one.toUpperCase());
  const count = options.includes("COUNT") ? integer(args[options.indexOf("COUNT") + 1]) : undefined;
  const half = rest.length / 2;
  return {
    count,
    isKept: !options.includes("NOACK"),
    streams: rest.slice(0, half).map((key, index) => [key, rest[half + index] ?? ""]),
  };
}

function read(args: readonly string[], session: Session): Reply {
  const { count, streams } = readingOf(args);
  const found = streams.flatMap(([key, id]) => {
    const { entries, lastId } = streamAt(session, key);
    const since = idOf(id === "$" ? lastId : id);
    const some = entries.filter(([text]) => isAfter(idOf(text), since)).slice(0, count);
    return some.length > 0 ? [[key, some.map(shownEntry)]] : [];
  });
  return found.length > 0 ? found : undefined;
}

function groupAt(stream: Stream, key: string, name: string, command: string): Group {
  return (
    stream.groups.get(name) ??
    fail(
      `NOGROUP No such key '${key}' or consumer group '${name}'${command === "" ? "" : ` in ${command} with GROUP option`}`,
    )
  );
}

function put(session: Session, key: string, stream: Stream, name: string, group: Group): void {
  session.keys.set(key, { ...stream, groups: new Map([...stream.groups, [name, group]]) });
}

/** What is new goes to one consumer, and stays with it until it is acknowledged. */
function readAs([, name = "", consumer = "", ...args]: readonly string[], session: Session): Reply {
  const { count, streams, isKept } = readingOf(args);
  const found: Reply[] = [];
  for (const [key, id] of streams) {
    const stream = streamAt(session, key);
    const group = groupAt(stream, key, name, "XREADGROUP");
    if (id !== ">") {
      const since = idOf(id);
      const own = stream.entries.filter(
        ([text]) => group.pending.get(text)?.consumer === consumer && isAfter(idOf(text), since),
      );
      found.push([key, own.slice(0, count).map(shownEntry)]);
      continue;
    }
    const since = idOf(group.lastId);
    const some = stream.entries.filter(([text]) => isAfter(idOf(text), since)).slice(0, count);
    if (some.length === 0) continue;
    const pending = new Map(group.pending);
    if (isKept) for (const [text] of some) pending.set(text, { consumer, atMs: session.nowMs, count: 1 });
    put(session, key, stream, name, { lastId: some.at(-1)?.[0] ?? group.lastId, pending });
    found.push([key, some.map(shownEntry)]);
  }
  return found.length > 0 ? found : undefined;
}

function group([verb = "", key = "", name = "", id = "", option]: readonly string[], session: Session): Reply {
  const stream = session.keys.of(key, "stream");
  const how = verb.toUpperCase();
  if (!stream && !(how === "CREATE" && option?.toUpperCase() === "MKSTREAM"))
    fail(
      "ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.",
    );
  const own = stream ?? streamAt(session, key);
  const known = own.groups.get(name);
  if (how === "CREATE") {
    if (known) fail("BUSYGROUP Consumer Group name already exists");
    put(session, key, own, name, { lastId: id === "$" ? own.lastId : textOf(idOf(id)), pending: new Map() });
    return ok;
  }
  if (how === "DESTROY") {
    const groups = new Map(own.groups);
    groups.delete(name);
    session.keys.set(key, { ...own, groups });
    return known ? 1 : 0;
  }
  if (how === "SETID") {
    const found = groupAt(own, key, name, "");
    put(session, key, own, name, { ...found, lastId: id === "$" ? own.lastId : textOf(idOf(id)) });
    return ok;
  }
  if (how === "CREATECONSUMER") return 1;
  return fail(`ERR unknown subcommand '${verb}'. Try XGROUP HELP.`);
}

function acknowledge([key = "", name = "", ...ids]: readonly string[], session: Session): Reply {
  const stream = streamAt(session, key);
  const found = stream.groups.get(name);
  if (!found) return 0;
  const pending = new Map(found.pending);
  const count = ids.filter((id) => pending.delete(textOf(idOf(id)))).length;
  put(session, key, stream, name, { ...found, pending });
  return count;
}

/** With `FORCE` of what nobody has, too. */
function claim([key = "", name = "", consumer = "", idle, ...args]: readonly string[], session: Session): Reply {
  const stream = streamAt(session, key);
  const found = groupAt(stream, key, name, "");
  const end = args.findIndex((one) => /^(idle|time|retrycount|force|justid)$/i.test(one));
  const options = (end < 0 ? [] : args.slice(end)).map((one) => one.toUpperCase());
  const pending = new Map(found.pending);
  const taken = args.slice(0, end < 0 ? undefined : end).filter((id) => {
    const before = pending.get(id);
    if (before ? session.nowMs - before.atMs < integer(idle) : !options.includes("FORCE")) return false;
    pending.set(id, { consumer, atMs: session.nowMs, count: (before?.count ?? 0) + 1 });
    return true;
  });
  put(session, key, stream, name, { ...found, pending });
  if (options.includes("JUSTID")) return taken;
  return stream.entries.filter(([id]) => taken.includes(id)).map(shownEntry);
}

function waiting([key = "", name = "", ...args]: readonly string[], session: Session): Reply {
  const { pending } = groupAt(streamAt(session, key), key, name, "");
  const all = [...pending];
  if (args.length === 0) {
    const consumers = new Map<string, number>();
    for (const [, { consumer }] of all) consumers.set(consumer, (consumers.get(consumer) ?? 0) + 1);
    const each = [...consumers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([one, count]) => [one, String(count)]);
    return all.length === 0 ? [0, undefined, undefined, undefined] : [all.length, all[0]?.[0], all.at(-1)?.[0], each];
  }
  const [, , count, consumer] = args;
  return all
    .filter(([, one]) => consumer === undefined || one.consumer === consumer)
    .slice(0, integer(count))
    .map(([id, one]) => [id, one.consumer, session.nowMs - one.atMs, one.count]);
}

function information([verb = "", key = ""]: readonly string[], session: Session): Reply {
  const stream = session.keys.of(key, "stream") ?? fail("ERR no such key");
  if (verb.toUpperCase() === "GROUPS")
    return [...stream.groups].map(([name, { pending, lastId }]) => {
      const consumers = new Set([...pending.values()].map(({ consumer }) => consumer)).size;
      return ["name", name, "consumers", consumers, "pending", pending.size, "last-delivered-id", lastId];
    });
  if (verb.toUpperCase() !== "STREAM") fail(`ERR unknown subcommand '${verb}'. Try XINFO HELP.`);
  const { entries, lastId, groups } = stream;
  const ends = [entries[0], entries.at(-1)].map((one) => (one ? shownEntry(one) : undefined));
  return [
    "length",
    entries.length,
    "last-generated-id",
    lastId,
    "groups",
    groups.size,
    "first-entry",
    ends[0],
    "last-entry",
    ends[1],
  ];
}

const writing = (takes: number, run: Command["run"]): Command => ({ takes, writes: true, run });

export const streamCommands: Commands = {
  XADD: writing(-4, add),
  XLEN: { takes: 1, run: ([key], session) => streamAt(session, key).entries.length },
  XRANGE: { takes: -3, run: (args, session) => range(args, session) },
  XREVRANGE: { takes: -3, run: (args, session) => range(args, session, true) },
  XREAD: { takes: -3, run: read },
  XDEL: writing(-2, ([key = "", ...ids], session) => {
    const stream = streamAt(session, key);
    const entries = stream.entries.filter(([id]) => !ids.includes(id));
    session.keys.set(key, { ...stream, entries });
    return stream.entries.length - entries.length;
  }),
  XTRIM: writing(-3, ([key = "", how = "", ...rest], session) => {
    if (how.toUpperCase() !== "MAXLEN") fail(syntaxError);
    const stream = streamAt(session, key);
    const most = integer(rest.find((one) => !/^[~=]$/.test(one)));
    const entries = stream.entries.slice(Math.max(0, stream.entries.length - most));
    session.keys.set(key, { ...stream, entries });
    return stream.entries.length - entries.length;
  }),
  XGROUP: writing(-2, group),
  XREADGROUP: writing(-6, readAs),
  XACK: writing(-3, acknowledge),
  XCLAIM: writing(-5, claim),
  XPENDING: { takes: -2, run: waiting },
  XINFO: { takes: -2, run: information },
};
