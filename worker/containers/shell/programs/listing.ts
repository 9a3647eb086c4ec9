// ls: names, or lines with the attributes of each file. BusyBox and GNU use different columns.
import { groupName, userName } from "./machine/accounts.ts";
import { byteLength } from "../../../../shared/base/byte-text.ts";
import { absolute, exists, type Files, isFolder, namesIn } from "../files.ts";
import { charge, chargeForReading } from "../../../../shared/shell/meter.ts";
import { type ProgramCall } from "../program.ts";
import { options } from "../../../../shared/shell/options.ts";
import { printedLines } from "../../../../shared/shell/lines.ts";

const folderBytes = 4096;
const blockBytes = 4096;
/** The age from which a date is printed with its year. */
const halfYearMs = 15_778_476_000;
const letters = ["---", "--x", "-w-", "-wx", "r--", "r-x", "rw-", "rwx"];

interface Item {
  readonly name: string;
  readonly path: string;
}

export function list(call: ProgramCall): number {
  const { flags, rest } = options(call.args);
  const { files } = call.process;
  charge(call.process, rest.length);
  const items = (rest.length > 0 ? rest : ["."]).map((name) => ({ name, path: absolute(name, call.shell.folder) }));
  const [existing, missing] = [
    items.filter(({ path }) => exists(files, path)),
    items.filter(({ path }) => !exists(files, path)),
  ];
  for (const { name } of missing) call.err(noSuch(call, name));
  const isLink = ({ name, path }: Item) => flags.has("l") && !name.endsWith("/") && files.link(path) !== undefined;
  const isListed = (item: Item) => isFolder(files, item.path) && !flags.has("d") && !isLink(item);
  const alone = existing.filter((item) => !isListed(item));
  const sections = alone.length > 0 ? [listingOf(call, flags, alone)] : [];
  for (const folder of existing.filter(isListed)) {
    const inside = inOrder(files, flags, contentOf(files, flags, folder.path));
    charge(call.process, inside.length / 10);
    const total = flags.has("l") ? `total ${inside.reduce((sum, { path }) => sum + blocks(files, path), 0)}\n` : "";
    const head = items.length > 1 ? `${folder.name}:\n` : "";
    sections.push(`${head}${total}${listingOf(call, flags, inside)}`);
  }
  call.out(sections.join("\n"));
  return missing.length === 0 ? 0 : isBusyBox(call) ? 1 : 2;
}

function noSuch(call: ProgramCall, name: string): string {
  const subject = isBusyBox(call) ? name : `cannot access '${name}'`;
  return `ls: ${subject}: No such file or directory\n`;
}

function isBusyBox({ process }: ProgramCall): boolean {
  return process.programs === undefined || process.programs.has("ash");
}

function contentOf(files: Files, flags: ReadonlySet<string>, path: string): Item[] {
  const all = flags.has("a") || flags.has("A");
  const names = namesIn(files, path).filter((name) => all || !name.startsWith("."));
  const dots = flags.has("a") ? [".", ".."] : [];
  return [...dots, ...names].map((name) => ({ name, path: absolute(name, path) }));
}

function inOrder(files: Files, flags: ReadonlySet<string>, items: Item[]): Item[] {
  const sorted = flags.has("t") ? items.sort((a, b) => changedMs(files, b.path) - changedMs(files, a.path)) : items;
  return flags.has("r") ? sorted.reverse() : sorted;
}

function listingOf(call: ProgramCall, flags: ReadonlySet<string>, items: readonly Item[]): string {
  const { process } = call;
  if (!flags.has("l"))
    return printedLines(
      process,
      items.map(({ name }) => name),
    );
  const rows = items.map(({ name, path }) => {
    const to = process.files.link(path);
    return [...columnsOf(call, flags, path, to), to === undefined ? name : `${name} -> ${to}`];
  });
  const widest = [0, 1, 2, 3, 4].map((at) => rows.reduce((most, row) => Math.max(most, row[at]?.length ?? 0), 0));
  const widths = (at: number) => widest[at] ?? 0;
  const lines = rows.map(([mode = "", links = "", owner = "", group = "", size = "", date = "", name = ""]) => {
    const columns = isBusyBox(call)
      ? [`${mode} ${links.padStart(4)}`, owner.padEnd(8), group.padEnd(8), size.padStart(9)]
      : [mode, links.padStart(widths(1)), owner.padEnd(widths(2)), group.padEnd(widths(3)), size.padStart(widths(4))];
    return [...columns, date, name].join(" ");
  });
  return printedLines(process, lines);
}

/** The work of printing one file. */
const rowWork = 5;

function columnsOf(
  { process }: ProgramCall,
  flags: ReadonlySet<string>,
  path: string,
  link: string | undefined,
): string[] {
  const { files, clockMs } = process;
  charge(process, rowWork);
  if (link !== undefined) {
    return ["lrwxrwxrwx", "1", "root", "root", `${link.length}`, dateOf(changedMs(files, path), clockMs)];
  }
  chargeForReading(process, files.get(path)?.text ?? "");
  const entry = files.get(path);
  const folder = isFolder(files, path);
  const user = userName(process, entry?.uid ?? 0) ?? `${entry?.uid ?? 0}`;
  const group = groupName(process, entry?.gid ?? 0) ?? `${entry?.gid ?? 0}`;
  const bytes = entry?.size ?? sizeOf(folder ? undefined : entry?.text);
  const size = flags.has("h") ? humanSize(bytes) : `${bytes}`;
  const links = folder ? 2 + namesIn(files, path).filter((name) => isFolder(files, absolute(name, path))).length : 1;
  const date = dateOf(changedMs(files, path), clockMs);
  return [modeText(entry?.mode ?? 0o755, folder), `${links}`, user, group, size, date];
}

/** Formats a mode as `ls` and `stat` do: the bits of setuid, setgid and sticky replace the letters of execution. */
export function modeText(mode: number, folder: boolean): string {
  const triplets = [6, 3, 0].map((shift) => letters[(mode >> shift) & 7] ?? "---");
  const special = [
    [0o4000, "s", "S"],
    [0o2000, "s", "S"],
    [0o1000, "t", "T"],
  ] as const;
  const withSpecialBits = special.map(([bit, running, idle], at) => {
    const triplet = triplets[at] ?? "---";
    return (mode & bit) === 0 ? triplet : triplet.slice(0, 2) + (triplet.endsWith("x") ? running : idle);
  });
  return `${folder ? "d" : "-"}${withSpecialBits.join("")}`;
}

/** Returns the time of a file's last change. A folder changes with its content. 0 if it is not known. */
function changedMs(files: Files, path: string): number {
  const ownMs = files.get(path)?.changedMs ?? 0;
  if (!isFolder(files, path)) return ownMs;
  return namesIn(files, path).reduce(
    (last, name) => Math.max(last, files.get(absolute(name, path))?.changedMs ?? 0),
    ownMs,
  );
}

function dateOf(atMs: number, nowMs: number): string {
  if (atMs === 0) return "Jan  1 00:00";
  const text = new Date(atMs).toUTCString();
  const day = String(Number(text.slice(5, 7))).padStart(2);
  const isNear = atMs <= nowMs && nowMs - atMs < halfYearMs;
  return `${text.slice(8, 11)} ${day} ${isNear ? text.slice(17, 22) : ` ${text.slice(12, 16)}`}`;
}

/** Returns the size in units of 1024 bytes, as `total` counts them. */
function blocks(files: Files, path: string): number {
  const bytes = sizeOf(isFolder(files, path) ? undefined : files.get(path)?.text);
  return (Math.ceil(bytes / blockBytes) * blockBytes) / 1024;
}

function humanSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}`;
  const kilo = bytes / 1024;
  if (kilo < 1024) return `${kilo < 10 ? kilo.toFixed(1) : Math.ceil(kilo)}K`;
  return `${(kilo / 1024).toFixed(1)}M`;
}

/** Returns the size of a text, or of a folder itself. */
export function sizeOf(text: string | undefined): number {
  return text === undefined ? folderBytes : byteLength(text);
}
