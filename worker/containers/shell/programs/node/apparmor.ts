// apparmor_parser and aa-status: profiles of AppArmor in the node's kernel. Profiles do not restrict simulated programs.
import { charge } from "../../../../../shared/shell/meter.ts";
import { type LoadedProfile, loadedProfiles, loadedProfilesPath } from "../../../node/node-defaults.ts";
import { absolute } from "../../files.ts";
import { edit } from "../../process.ts";
import type { ProgramCall } from "../../program.ts";

/** The maximum number of loaded profiles, and of characters of a file with profiles. */
const mostProfiles = 200;
const mostCharacters = 100_000;

type Action = "add" | "replace" | "remove" | "none";

/** Loads the profiles of files, replaces or removes them. */
export function apparmorParser(call: ProgramCall): number {
  const { args, process, shell, err } = call;
  const flags = args.filter((arg) => arg.startsWith("-"));
  const names = args.filter((arg) => !arg.startsWith("-"));
  if (process.self.uid !== 0) {
    err("apparmor_parser: Access denied. You need policy admin privileges to manage profiles.\n\n");
    return 1;
  }
  let code = 0;
  for (const name of names) {
    const text = process.files.get(absolute(name, shell.folder))?.text;
    if (text === undefined) {
      err(`File ${name} not found, skipping...\n`);
      code = 1;
    } else code = apply(call, name, text, actionOf(flags)) || code;
  }
  return code;
}

function actionOf(flags: readonly string[]): Action {
  const has = (letter: string, long: string) =>
    flags.some((flag) => flag === long || (/^-[a-zA-Z]+$/.test(flag) && flag.includes(letter)));
  if (has("R", "--remove")) return "remove";
  if (has("r", "--replace")) return "replace";
  return has("Q", "--skip-kernel-load") || has("N", "--names") ? "none" : "add";
}

function apply({ process, err }: ProgramCall, name: string, text: string, action: Action): number {
  charge(process, text.length / 100);
  const declared = text.length > mostCharacters ? "syntax error, the file is too long" : profilesIn(text);
  if (typeof declared === "string") {
    err(`AppArmor parser error for ${name} in profile ${name} at line ${text.split("\n").length}: ${declared}\n`);
    return 1;
  }
  const loaded = new Map(loadedProfiles(process.files).map((profile) => [profile.name, profile]));
  for (const profile of declared) {
    if (action === "none") continue;
    if (action === "add" && loaded.has(profile.name)) {
      err(`apparmor_parser: Unable to add "${profile.name}".  Profile already exists\n`);
      return 17;
    }
    if (action === "remove" && !loaded.delete(profile.name)) {
      err(`apparmor_parser: Unable to remove "${profile.name}".  Profile doesn't exist\n`);
      return 254;
    }
    if (action !== "remove") loaded.set(profile.name, profile);
  }
  if (loaded.size > mostProfiles) {
    err("apparmor_parser: Unable to add profiles.  Cannot allocate memory\n");
    return 1;
  }
  const lines = [...loaded.values()].map((profile) => `${profile.name} (${profile.mode})\n`);
  if (action !== "none") edit(process, { path: loadedProfilesPath, text: lines.join("") });
  return 0;
}

/** Returns the profiles that a file declares, or its error. */
function profilesIn(text: string): LoadedProfile[] | string {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && (!line.startsWith("#") || line.startsWith("#include")));
  const profiles: LoadedProfile[] = [];
  let depth = 0;
  for (const line of lines) {
    const [, name] = /^(?:profile\s+)?"?([^\s"{(]+)"?(?:\s+\/\S*)?(?:\s+(?:flags=)?\([^)]*\))?\s*\{/.exec(line) ?? [];
    const isHead = depth === 0 && name !== undefined && (line.startsWith("profile ") || name.startsWith("/"));
    if (isHead) profiles.push({ name, mode: /\bcomplain\b/.test(line) ? "complain" : "enforce" });
    else if (depth === 0 && !/^(#?include|abi|alias|@\{)/.test(line))
      return `syntax error, unexpected ${line.split(/\s/, 1)[0] ?? ""}`;
    // Braces of alternatives, such as {a,b}, close on their line.
    depth += line.split("{").length - line.split("}").length;
    if (depth < 0) return "syntax error, unexpected TOK_CLOSE";
  }
  return depth === 0 ? profiles : "syntax error, unexpected end of file, expecting TOK_CLOSE";
}

export function aaStatus({ process, out, err }: ProgramCall): number {
  if (process.self.uid !== 0) {
    err("apparmor module is loaded.\nYou do not have enough privilege to read the profile set.\n");
    return 4;
  }
  const profiles = loadedProfiles(process.files).sort((a, b) => (a.name < b.name ? -1 : 1));
  out(`apparmor module is loaded.\n${profiles.length} profiles are loaded.\n`);
  for (const mode of ["enforce", "complain", "prompt", "kill", "unconfined"]) {
    const names = profiles.filter((profile) => profile.mode === mode).map(({ name }) => `   ${name}\n`);
    out(`${names.length} profiles are in ${mode} mode.\n${names.join("")}`);
  }
  return 0;
}
