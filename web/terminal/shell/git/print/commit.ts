// Commits as `git log` prints them.
import { zoneText } from "../dates.ts";
import type { Paint } from "../paint.ts";
import type { Person } from "../person.ts";
import { type Commit, type Repository, shortOf } from "../repository.ts";

const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Formats a time as git does: `Tue Nov 14 22:13:20 2023 +0000`. The offset is that of JavaScript: minutes to the west. */
export function dateText({ timestamp, timezoneOffset }: Person): string {
  const date = new Date((timestamp - timezoneOffset * 60) * 1000);
  const time = date.toISOString().slice(11, 19);
  return `${days[date.getUTCDay()] ?? ""} ${months[date.getUTCMonth()] ?? ""} ${date.getUTCDate()} ${time} ${date.getUTCFullYear()} ${zoneText(timezoneOffset)}`;
}

function isoDate({ timestamp, timezoneOffset }: Person, isStrict = false): string {
  const text = new Date((timestamp - timezoneOffset * 60) * 1000).toISOString();
  const zone = zoneText(timezoneOffset);
  if (!isStrict) return `${text.slice(0, 10)} ${text.slice(11, 19)} ${zone}`;
  return `${text.slice(0, 19)}${zone === "+0000" ? "Z" : `${zone.slice(0, 3)}:${zone.slice(3)}`}`;
}

function relativeDate({ timestamp }: Person, nowMs: number): string {
  const seconds = Math.max(0, Math.floor(nowMs / 1000) - timestamp);
  const units: [string, number, number][] = [
    ["second", 1, 90],
    ["minute", 60, 90],
    ["hour", 3600, 36],
    ["day", 86_400, 14],
    ["week", 604_800, 10],
    ["month", 2_629_746, 12],
    ["year", 31_556_952, Infinity],
  ];
  const [name, length] = units.find(([, unit, limit]) => Math.round(seconds / unit) < limit) ?? ["second", 1];
  const count = Math.round(seconds / length);
  return `${count} ${name}${count === 1 ? "" : "s"} ago`;
}

export function subjectOf({ message }: Commit): string {
  return (message.split(/\n\s*\n/)[0] ?? "").trim().replaceAll("\n", " ");
}

function bodyOf({ message }: Commit): string {
  const end = /\n\s*\n/.exec(message);
  return end ? message.slice(end.index).replace(/^\s*\n/, "") : "";
}

/** The names of each commit: its branches and tags. */
export type Decorations = ReadonlyMap<string, readonly string[]>;

/** Collects the names in the order in which git shows them: the head, tags, branches of remotes, branches. */
export async function decorationsOf(repository: Repository, paint: Paint): Promise<Decorations> {
  const { api, place } = repository;
  const names = new Map<string, string[]>();
  const add = async (ref: string, text: string) => {
    const oid = await repository.ref(ref);
    const commit = oid === undefined ? undefined : await peeled(repository, oid);
    if (commit !== undefined) names.set(commit, [...(names.get(commit) ?? []), text]);
  };
  const { branch } = repository;
  const head = paint("cyan", "HEAD");
  await add("HEAD", branch === undefined ? head : `${head} -> ${paint("green", branch)}`);
  for (const tag of (await api.listTags(place)).sort().reverse())
    await add(`refs/tags/${tag}`, paint("yellow", `tag: ${tag}`));
  const remotes = await api.listBranches({ ...place, remote: "origin" }).catch(() => []);
  for (const name of remotes.sort().reverse()) await add(`refs/remotes/origin/${name}`, paint("red", `origin/${name}`));
  for (const name of (await api.listBranches(place)).sort().reverse())
    if (name !== branch) await add(`refs/heads/${name}`, paint("green", name));
  return names;
}

/** Returns the commit of a tag with a message, or the id itself. */
export async function peeled(repository: Repository, oid: string): Promise<string> {
  return repository.api
    .readTag({ ...repository.place, oid })
    .then(({ tag }) => tag.object)
    .catch(() => oid);
}

export interface CommitFormat {
  /** `medium`, `oneline`, `short`, `full`, `fuller`, or a text with placeholders. */
  readonly style: string;
  readonly abbreviates: boolean;
  readonly decorations: Decorations | undefined;
  readonly paint: Paint;
  readonly nowMs: number;
}

export const styles = new Set(["medium", "oneline", "short", "full", "fuller"]);

/** Returns a commit without its changes. It ends with a newline. */
export function commitText(commit: Commit, format: CommitFormat): string {
  const { style, paint, abbreviates } = format;
  if (!styles.has(style)) return `${filled(style, commit, format)}\n`;
  const id = abbreviates ? shortOf(commit.oid) : commit.oid;
  const names = decorationText(commit, format);
  if (style === "oneline") return `${paint("yellow", id)}${names} ${subjectOf(commit)}\n`;
  const { author, committer } = commit;
  const merge = commit.parent.length > 1 ? `Merge: ${commit.parent.map(shortOf).join(" ")}\n` : "";
  const person = ({ name, email }: Person) => `${name} <${email}>\n`;
  const people = {
    medium: `Author: ${person(author)}Date:   ${dateText(author)}\n`,
    short: `Author: ${person(author)}`,
    full: `Author: ${person(author)}Commit: ${person(committer)}`,
    fuller: `Author:     ${person(author)}AuthorDate: ${dateText(author)}\nCommit:     ${person(committer)}CommitDate: ${dateText(committer)}\n`,
  }[style as "medium"];
  const message = style === "short" ? subjectOf(commit) : commit.message.trimEnd();
  const indented = message.split("\n").map((line) => `    ${line}`.trimEnd() || "");
  return `${paint("yellow", `commit ${id}`)}${names}\n${merge}${people}\n${indented.map((line) => (line === "" ? "    " : line)).join("\n")}\n`;
}

function decorationText({ oid }: Commit, { decorations, paint }: CommitFormat): string {
  const names = decorations?.get(oid);
  return names ? ` ${paint("yellow", "(")}${names.join(paint("yellow", ", "))}${paint("yellow", ")")}` : "";
}

/** Fills the placeholders of `--format`. */
function filled(style: string, commit: Commit, format: CommitFormat): string {
  const { author, committer, oid, tree, parent } = commit;
  const person = (who: Person): Readonly<Record<string, string>> => ({
    n: who.name,
    e: who.email,
    d: dateText(who),
    i: isoDate(who),
    I: isoDate(who, true),
    s: isoDate(who).slice(0, 10),
    t: String(who.timestamp),
    r: relativeDate(who, format.nowMs),
  });
  const names = format.decorations?.get(oid)?.join(", ") ?? "";
  const values: Readonly<Record<string, string>> = {
    H: oid,
    h: shortOf(oid),
    T: tree,
    t: shortOf(tree),
    P: parent.join(" "),
    p: parent.map(shortOf).join(" "),
    s: subjectOf(commit),
    b: bodyOf(commit),
    B: commit.message,
    d: names && ` (${names})`,
    D: names,
    n: "\n",
    "%": "%",
  };
  return style.replaceAll(
    /%(?:C(reset|red|green|yellow|blue|cyan)|C\((\w+)\)|a([neditIrs])|c([neditIrs])|([HhTtPpsbBdDn%]))/g,
    (all, plainColor?: string, color?: string, ofAuthor?: string, ofCommitter?: string, ofCommit?: string) => {
      if (ofAuthor !== undefined) return person(author)[ofAuthor] ?? all;
      if (ofCommitter !== undefined) return person(committer)[ofCommitter] ?? all;
      if (ofCommit !== undefined) return values[ofCommit] ?? all;
      const name = plainColor ?? color;
      const code = { reset: "0", red: "31", green: "32", yellow: "33", blue: "34", cyan: "36" }[name ?? ""];
      return code === undefined || format.paint("red", "x") === "x" ? "" : `\u001b[${code}m`;
    },
  );
}
