// Functions that openssl's commands share: options, input and output files, and errors of unreadable files.
import type { Task } from "../../../../../shared/shell/task.ts";
import { Certificate } from "@peculiar/asn1-x509";
import { readDer } from "../../../../../shared/x509/der.ts";
import { pemBlocks } from "../../../../../shared/x509/pem.ts";
import { absolute } from "../../files.ts";
import { takeAll } from "../../input.ts";
import { edit } from "../../process.ts";
import type { ProgramCall } from "../../program.ts";

/** Options that are followed by a value. */
const valued = new Set(
  "in out key keyout newkey subj days CA CAkey CAserial set_serial addext extfile extensions config CAfile connect servername salt pkeyopt algorithm checkend ext passout passin inform outform signkey cipher rounds reqexts".split(
    " ",
  ),
);

export interface OpensslArguments {
  readonly has: (name: string) => boolean;
  readonly value: (name: string) => string | undefined;
  readonly all: (name: string) => readonly string[];
  readonly rest: readonly string[];
}

export function parseArguments(args: readonly string[]): OpensslArguments {
  const on = new Set<string>();
  const values = new Map<string, string[]>();
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const name = arg.replace(/^--?/, "");
    if (!arg.startsWith("-") || arg === "-") rest.push(arg);
    else if (valued.has(name)) values.set(name, [...(values.get(name) ?? []), args[++at] ?? ""]);
    else on.add(name);
  }
  return {
    has: (name) => on.has(name) || values.has(name),
    value: (name) => values.get(name)?.at(-1),
    all: (name) => values.get(name) ?? [],
    rest,
  };
}

export function* textOf({ process, shell, input }: ProgramCall, name: string | undefined): Task<string | undefined> {
  if (name === undefined) return yield* takeAll(process, input);
  return process.files.get(absolute(name, shell.folder))?.text;
}

export function write(
  { process, shell, out }: ProgramCall,
  name: string | undefined,
  text: string,
  mode = 0o644,
): void {
  if (name === undefined) out(text);
  else edit(process, { path: absolute(name, shell.folder), text, mode });
}

/** Prints openssl's error for an unreadable file. Returns the exit code. */
export function notRead({ err, process, shell }: ProgramCall, what: string, name = "<stdin>"): number {
  const isThere = name === "<stdin>" || process.files.get(absolute(name, shell.folder))?.text !== undefined;
  err(
    isThere
      ? `Could not find ${what} from ${name}\n`
      : `Could not open file or uri for loading ${what} from ${name}: No such file or directory\n`,
  );
  return 1;
}

export function certificateIn(
  text: string,
): { readonly certificate: Certificate; readonly der: Uint8Array } | undefined {
  const block = pemBlocks(text).find(({ type }) => type === "CERTIFICATE");
  const certificate = block && readDer(block.bytes, Certificate);
  return block && certificate && { certificate, der: block.bytes };
}
