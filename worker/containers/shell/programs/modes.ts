// Programs that change or print the owner and the mode of files: chmod, chown, chgrp, stat.
import { groupName, userName } from "./machine/accounts.ts";
import { exists, isFolder } from "../files.ts";
import { chargeForReading } from "../../../../shared/shell/meter.ts";
import { edit } from "../process.ts";
import type { ProgramCall } from "../program.ts";
import { modeText, sizeOf } from "./listing.ts";
import { each } from "./per-file.ts";

/** Changes modes, which are octal or letters with `+`, `-` or `=`. */
export function chmod(call: ProgramCall): number {
  const [modeText = "", ...names] = call.args.filter((arg) => !/^-[Rfvc]+$/.test(arg));
  const isDeep = call.args.some((arg) => /^-\w*R/.test(arg));
  return each({ ...call, args: names }, (path, name) => {
    if (!exists(call.process.files, path)) return `${name}: No such file or directory`;
    const deeper = isDeep ? call.process.files.below(path).map(([descendant]) => descendant) : [];
    for (const target of [path, ...deeper]) {
      const entry = call.process.files.get(target);
      const mode = changedMode(entry?.mode ?? 0o755, modeText, entry?.text === undefined);
      if (mode === undefined) return `invalid mode '${modeText}'`;
      edit(call.process, { path: target, text: entry?.text, mode });
    }
    return undefined;
  });
}

function changedMode(mode: number, modeText: string, folder: boolean): number | undefined {
  if (/^[0-7]{1,4}$/.test(modeText)) return Number.parseInt(modeText, 8);
  let changed = mode;
  for (const clause of modeText.split(",")) {
    const [, who = "", operator = "", what = ""] = /^([ugoa]*)([-+=])([rwxXst]*)$/.exec(clause) ?? [];
    if (operator === "") return undefined;
    const bits = bitsOf(who === "" || who.includes("a") ? "ugo" : who, what, folder || (mode & 0o111) !== 0);
    if (operator === "-") changed &= ~bits;
    else if (operator === "+") changed |= bits;
    else changed = (changed & ~bitsOf(who === "" || who.includes("a") ? "ugo" : who, "rwx", true)) | bits;
  }
  return changed;
}

function bitsOf(who: string, what: string, runs: boolean): number {
  const permissions =
    (what.includes("r") ? 4 : 0) |
    (what.includes("w") ? 2 : 0) |
    (what.includes("x") || (what.includes("X") && runs) ? 1 : 0);
  const special =
    (what.includes("s") ? (who.includes("u") ? 0o4000 : 0) | (who.includes("g") ? 0o2000 : 0) : 0) |
    (what.includes("t") ? 0o1000 : 0);
  return (
    (who.includes("u") ? permissions << 6 : 0) |
    (who.includes("g") ? permissions << 3 : 0) |
    (who.includes("o") ? permissions : 0) |
    special
  );
}

const knownIds: Readonly<Record<string, number>> = { root: 0, daemon: 1, nobody: 65534, nogroup: 65534 };

export function owned(call: ProgramCall, split: (text: string) => readonly string[]): number {
  const [owner = "", ...names] = call.args.filter((arg) => !/^-[RfvchHLP]+$/.test(arg));
  const isDeep = call.args.some((arg) => /^-\w*R/.test(arg));
  const [user = "", group = ""] = split(owner);
  const idOf = (text: string) => (/^\d+$/.test(text) ? Number(text) : knownIds[text]);
  return each({ ...call, args: names }, (path, name) => {
    if (!exists(call.process.files, path)) return `${name}: No such file or directory`;
    const [uid, gid] = [idOf(user), idOf(group)];
    // Names that only an image's own list has count as root.
    const ids = { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
    const deeper = isDeep ? call.process.files.below(path).map(([descendant]) => descendant) : [];
    for (const target of [path, ...deeper])
      edit(call.process, { path: target, text: call.process.files.get(target)?.text, ...ids });
    return undefined;
  });
}

/** Returns the output of stat, in a requested format or in the default one. */
export function statText({ process }: ProgramCall, path: string, name: string, format: string | undefined): string {
  const entry = process.files.get(path);
  const folder = isFolder(process.files, path);
  const mode = entry?.mode ?? 0o755;
  chargeForReading(process, entry?.text ?? "");
  const size = sizeOf(folder ? undefined : entry?.text);
  const [uid, gid] = [entry?.uid ?? 0, entry?.gid ?? 0];
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
    Y: String(Math.floor((entry?.changedMs ?? 0) / 1000)),
  };
  return `${format.replace(/%([a-zA-Z%])/g, (directive, letter: string) => (letter === "%" ? "%" : (values[letter] ?? directive)))}\n`;
}
