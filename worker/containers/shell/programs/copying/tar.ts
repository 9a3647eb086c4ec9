// tar, as `kubectl cp` and scripts use it: creates, extracts and lists archives of files and folders.
import { finished, type Task } from "../../../../../shared/shell/task.ts";
import { trimmed } from "../../../../../shared/base/trim.ts";
import { bytesOfText, textOfBytes } from "../../../../../shared/base/byte-text.ts";
import { absolute, exists, isFolder } from "../../files.ts";
import { takeAll } from "../../input.ts";
import { chargeForBuilding, charge, hold } from "../../../../../shared/shell/meter.ts";
import { edit, type Process } from "../../process.ts";
import { type ProgramCall, type Programs } from "../../program.ts";
import { joined } from "../../../../../shared/shell/lines.ts";
import { scoped } from "../../shell.ts";
import { whyNotWritable } from "../../redirect.ts";
import { compressed, uncompressed } from "./sums.ts";
import { type Member, readArchive, writeArchive } from "./tar-archive.ts";

export const archivePrograms: Programs = { tar };

/** The maximum of bytes that are stored for users' changes in a container. */
const diskBytes = 700_000;

interface Options {
  /** `c`, `x` or `t`. */
  readonly mode: string;
  readonly letters: ReadonlySet<string>;
  /** "-" for the standard streams. */
  readonly archive: string;
  readonly folder: string;
  readonly strips: number;
  readonly names: readonly string[];
}

function* tar(call: ProgramCall): Task<number> {
  return yield* finished(scoped(call.shell, () => archived(call)));
}

function* archived(call: ProgramCall): Task<number> {
  const options = optionsOf(call);
  if (/[jJ]/.test([...options.letters].join(""))) {
    call.err("tar: (child) bzip2: Cannot exec: No such file or directory\n");
    return 2;
  }
  if (options.mode === "") {
    call.err(
      "tar: You must specify one of the '-Acdtrux', '--delete' or '--test-label' options\nTry 'tar --help' or 'tar --usage' for more information.\n",
    );
    return 2;
  }
  return options.mode === "c" ? create(call, options) : yield* extract(call, options);
}

function optionsOf({ args, shell }: ProgramCall): Options {
  const letters = new Set<string>();
  const names: string[] = [];
  let [archive, folder, strips] = ["-", shell.folder, 0];
  const words = [...args];
  const take = () => words.shift() ?? "";
  for (let isFirst = true; words.length > 0; isFirst = false) {
    const word = take();
    if (word === "--") names.push(...words.splice(0));
    else if (word.startsWith("--")) {
      const [name, value = ""] = word.slice(2).split("=", 2);
      if (name === "directory") folder = absolute(value, folder);
      else if (name === "file") archive = value;
      else if (name === "strip-components") strips = Number(value);
      else letters.add({ create: "c", extract: "x", list: "t", gzip: "z", verbose: "v" }[name ?? ""] ?? "");
    } else if (isFirst || /^-./.test(word)) {
      for (const letter of word.replace(/^-/, "")) {
        letters.add(letter);
        if (letter === "f") archive = take();
        if (letter === "C") folder = absolute(take(), folder);
      }
    } else names.push(word);
  }
  return { mode: ["c", "x", "t"].find((letter) => letters.has(letter)) ?? "", letters, archive, folder, strips, names };
}

function create(call: ProgramCall, { archive, folder, letters, names }: Options): number {
  const { files } = call.process;
  const members: Member[] = [];
  let [code, isStripped] = [0, false];
  for (const name of names) {
    const from = absolute(name, folder);
    if (!exists(files, from)) {
      call.err(`tar: ${name}: Cannot stat: No such file or directory\n`);
      code = 2;
      continue;
    }
    isStripped ||= name.startsWith("/");
    const memberName = trimmed(name, "/") || ".";
    members.push(...membersOf(call, from, memberName));
  }
  if (isStripped) call.err("tar: Removing leading `/' from member names\n");
  if (letters.has("v")) call.err(joined(members.map(({ name }) => name)));
  const plain = textOfBytes(writeArchive(members));
  const text = letters.has("z") || letters.has("a") ? compressed(call.process, plain) : plain;
  if (archive === "-") call.out(text);
  else edit(call.process, { path: absolute(archive, call.shell.folder), text });
  if (code !== 0) call.err("tar: Exiting with failure status due to previous errors\n");
  return code;
}

function membersOf({ process }: ProgramCall, from: string, memberName: string): Member[] {
  const { files } = process;
  const paths = files.below(from === "/" ? "" : from).map(([path]) => path);
  const all = [...new Set([from, ...foldersAbove(process, paths, from)])];
  return all.map((path) => {
    const entry = files.get(path);
    const text = entry?.text;
    const name = memberName + path.slice(from === "/" ? 0 : from.length);
    charge(process, memberWork);
    chargeForBuilding(process, memberBytes + 2 * (text?.length ?? 0));
    hold(process, memberBytes + (text?.length ?? 0));
    return {
      name,
      mode: entry?.mode ?? 0o755,
      changedMs: entry?.changedMs ?? 0,
      bytes: text === undefined ? undefined : bytesOfText(text),
    };
  });
}

/** The bytes of an archive's member in addition to its content. */
const memberBytes = 1024;
const memberWork = 15;

/** Adds the folders between the paths and their common folder, which may have no entry. */
function foldersAbove(process: Process, paths: readonly string[], from: string): string[] {
  return paths.flatMap((path) => {
    const segments = path.slice(from.length + 1).split("/");
    charge(process, (segments.length * path.length) / 64);
    return segments.map((_, at) => `${from === "/" ? "" : from}/${segments.slice(0, at + 1).join("/")}`);
  });
}

function* extract(call: ProgramCall, options: Options): Task<number> {
  const archiveText = yield* archiveOf(call, options);
  // A compressed archive is recognized by its first bytes.
  const text = archiveText?.startsWith("\x1f") ? uncompressed(call.process, archiveText) : archiveText;
  if (archiveText !== undefined && text === undefined) {
    call.err(
      "\ngzip: stdin: unexpected end of file\ntar: Child returned status 1\ntar: Error is not recoverable: exiting now\n",
    );
    return 2;
  }
  if (text === undefined) return call.process.paused || !call.process.knowsFiles ? 0 : 2;
  chargeForBuilding(call.process, 3 * text.length);
  const members = readArchive(bytesOfText(text), () => charge(call.process, memberWork));
  if (!members) {
    call.err("tar: This does not look like a tar archive\ntar: Exiting with failure status due to previous errors\n");
    return 2;
  }
  const { names, letters, mode } = options;
  const selected = members.filter(
    ({ name }) => names.length === 0 || names.some((selector) => name === selector || name.startsWith(`${selector}/`)),
  );
  if (mode === "t" || letters.has("v")) call.out(joined(selected.map(shownName)));
  if (mode === "t") return 0;
  return unpack(call, selected, options);
}

function unpack(call: ProgramCall, members: readonly Member[], { folder, strips }: Options): number {
  const { process, shell } = call;
  if (!exists(process.files, folder) && process.knowsFiles) {
    call.err(`tar: ${folder}: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now\n`);
    return 2;
  }
  let code = 0;
  let left = diskBytes;
  for (const { name, mode, bytes } of members) {
    left -= bytes?.length ?? 0;
    if (left < 0) {
      call.err(`tar: ${name}: Cannot write: No space left on device\n`);
      code = 2;
      break;
    }
    // Nothing is written outside the folder.
    const segments = name.split("/").filter((segment) => !["", ".", ".."].includes(segment));
    const rest = segments.slice(strips).join("/");
    const path = absolute(rest, folder);
    if (rest === "" || (bytes === undefined && isFolder(process.files, path))) continue;
    const problem = whyNotWritable(shell, path);
    if (problem === undefined || problem === "nonexistent directory") {
      edit(process, { path, text: bytes && textOfBytes(bytes), mode });
      continue;
    }
    call.err(`tar: ${name}: Cannot open: ${problem}\n`);
    code = 2;
  }
  if (code !== 0) call.err("tar: Exiting with failure status due to previous errors\n");
  return code;
}

function* archiveOf({ process, input, shell, err }: ProgramCall, { archive }: Options): Task<string | undefined> {
  if (archive === "-") return yield* takeAll(process, input);
  const text = process.files.get(absolute(archive, shell.folder))?.text;
  // If the image is not known, it may have the archive.
  if (text === undefined && process.knowsFiles) {
    err(`tar: ${archive}: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now\n`);
  }
  return text;
}

function shownName({ name, bytes }: Member): string {
  return bytes === undefined ? `${name}/` : name;
}
