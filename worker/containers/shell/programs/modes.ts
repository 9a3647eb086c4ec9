// Programs that change or tell whose a file is and who may do what with it: chmod, chown, chgrp, stat.
import { groupName, userName } from "./machine/accounts.ts";
import { exists, isFolder } from "../files.ts";
import { scan } from "../../../../shared/shell/meter.ts";
import { edit } from "../process.ts";
import type { ProgramCall } from "../program.ts";
import { modeText, sizeOf } from "./listing.ts";
import { each } from "./per-file.ts";

/** Octal modes, and letters for what is added, taken away or set. */
export function chmod(call: ProgramCall): number {
  const [wanted = "", ...names] = call.args.filter((arg) => !/^-[Rfvc]+$/.test(arg));
  const isDeep = call.args.some((arg) => /^-\w*R/.test(arg));
  return each({ ...call, args: names }, (path, name) => {
    if (!exists(call.process.files, path)) return `${name}: No such file or directory`;
    const deeper = isDeep ? call.process.files.below(path).map(([one]) => one) : [];
    for (const one of [path, ...deeper]) {
      const found = call.process.files.get(one);
      const mode = changedMode(found?.mode ?? 0o755, wanted, found?.text === undefined);
      if (mode === undefined) return `invalid mode '${wanted}'`;
      edit(call.process, { path: one, text: found?.text, mode });
    }
    return undefined;
  });
}

function changedMode(mode: number, wanted: string, folder: boolean): number | undefined {
  if (/^[0-7]{1,4}$/.test(wanted)) return Number.parseInt(wanted, 8);
  let changed = mode;
  for (const part of wanted.split(",")) {
    const [, who = "", operator = "", what = ""] = /^([ugoa]*)([-+=])([rwxXst]*)$/.exec(part) ?? [];
    if (operator === "") return undefined;
    const bits = bitsOf(who === "" || who.includes("a") ? "ugo" : who, what, folder || (mode & 0o111) !== 0);
    if (operator === "-") changed &= ~bits;
    else if (operator === "+") changed |= bits;
    else changed = (changed & ~bitsOf(who === "" || who.includes("a") ? "ugo" : who, "rwx", true)) | bits;
  }
  return changed;
}

function bitsOf(who: string, what: string, runs: boolean): number {
  const one =
    (what.includes("r") ? 4 : 0) |
    (what.includes("w") ? 2 : 0) |
    (what.includes("x") || (what.includes("X") && runs) ? 1 : 0);
  const special =
    (what.includes("s") ? (who.includes("u") ? 0o4000 : 0) | (who.includes("g") ? 0o2000 : 0) : 0) |
    (what.includes("t") ? 0o1000 : 0);
  return (
    (who.includes("u") ? one << 6 : 0) | (who.includes("g") ? one << 3 : 0) | (who.includes("o") ? one : 0) | special
  );
}

const knownIds: Readonly<Record<string, number>> = { root: 0, daemon: 1, nobody: 65534, nogroup: 65534 };

export function owned(call: ProgramCall, split: (text: string) => readonly string[]): number {
  const [wanted = "", ...names] = call.args.filter((arg) => !/^-[RfvchHLP]+$/.test(arg));
  const isDeep = call.args.some((arg) => /^-\w*R/.test(arg));
  const [user = "", group = ""] = split(wanted);
  const idOf = (text: string) => (/^\d+$/.test(text) ? Number(text) : knownIds[text]);
  return each({ ...call, args: names }, (path, name) => {
    if (!exists(call.process.files, path)) return `${name}: No such file or directory`;
    const [uid, gid] = [idOf(user), idOf(group)];
    // Names that only an image's own list knows are taken to be root's.
    const ids = { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
    const deeper = isDeep ? call.process.files.below(path).map(([one]) => one) : [];
    for (const one of [path, ...deeper])
      edit(call.process, { path: one, text: call.process.files.get(one)?.text, ...ids });
    return undefined;
  });
}

/** With a format, what it asks for; else as the program writes it by itself. */
export function statText({ process }: ProgramCall, path: string, name: string, format: string | undefined): string {
  const found = process.files.get(path);
  const folder = isFolder(process.files, path);
  const mode = found?.mode ?? 0o755;
  scan(process, found?.text ?? "");
  const size = sizeOf(folder ? undefined : found?.text);
  const [uid, gid] = [found?.uid ?? 0, found?.gid ?? 0];
  const [user, group] = [userName(process, uid) ?? "UNKNOWN", groupName(process, gid) ?? "UNKNOWN"];
  const octal = mode.toString(8);
  if (format === undefined) {
    const access = `(${octal.padStart(4, "0")}/${modeText(mode, folder)})`;
    return `  File: ${name}\n  Size: ${size}\nAccess: ${access}  Uid: (${String(uid).padStart(5)}/${user.padStart(8)})   Gid: (${String(gid).padStart(5)}/${group.padStart(8)})\n`;
  }
  const values: Readonly<Record<string, string>> = {
    a: octal,
    A: modeText(mode, folder),
    u: String(uid),
    g: String(gid),
    U: user,
    G: group,
    s: String(size),
    n: name,
    F: folder ? "directory" : "regular file",
    Y: String(Math.floor((found?.changedMs ?? 0) / 1000)),
  };
  return `${format.replace(/%([a-zA-Z%])/g, (whole, letter: string) => (letter === "%" ? "%" : (values[letter] ?? whole)))}\n`;
}
