// dd: copies blocks from a file, the input or /dev/zero into a file or to the output. Output beyond a container's limits is truncated.
import type { Task } from "../../../../../shared/shell/task.ts";
import { byteLength, bytesOfText, textOfBytes } from "../../../../../shared/base/byte-text.ts";
import { absolute } from "../../files.ts";
import { takeAll } from "../../input.ts";
import { chargeForBuilding } from "../../../../../shared/shell/meter.ts";
import { edit } from "../../process.ts";
import type { ProgramCall } from "../../program.ts";
import { whyNotWritable } from "../../redirect.ts";

const sizes: Readonly<Record<string, number>> = { c: 1, w: 2, b: 512, k: 1024, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };
const usualBlock = 512;
/** The bytes of /dev/zero that are really stored. A longer file takes no more memory. */
const mostBytes = 64 * 1024;

export function* dd(call: ProgramCall): Task<number> {
  const { process, shell, err } = call;
  const operands = new Map(call.args.map((arg) => [arg.slice(0, arg.indexOf("=")), arg.slice(arg.indexOf("=") + 1)]));
  const block = sizeOf(operands.get("bs") ?? "") ?? usualBlock;
  const count = operands.has("count") ? Number(operands.get("count")) : Number.POSITIVE_INFINITY;
  const from = operands.get("if");
  const path = from === undefined ? undefined : absolute(from, shell.folder);
  const isEndless = path === "/dev/zero" || path === "/dev/urandom" || path === "/dev/random";
  const most = block * count;
  const source = isEndless
    ? "\0".repeat(Math.min(most, mostBytes))
    : path === undefined
      ? yield* takeAll(process, call.input)
      : process.files.get(path)?.text;
  if (process.paused) return 0;
  if (source === undefined) {
    err(`dd: can't open '${from ?? ""}': No such file or directory\n`);
    return 1;
  }
  const length = byteLength(source);
  chargeForBuilding(process, length);
  const text = length > most ? textOfBytes(bytesOfText(source).subarray(0, most)) : source;
  const copied = isEndless ? most : byteLength(text);
  const size = copied > byteLength(text) ? copied : undefined;
  const problem = written(call, operands.get("of"), text, operands.get("conv")?.includes("notrunc") ?? false, size);
  if (problem !== undefined) {
    err(`dd: can't open '${operands.get("of") ?? ""}': ${problem}\n`);
    return 1;
  }
  const records = `${Math.floor(copied / block)}+${copied % block === 0 ? 0 : 1}`;
  const speed = "0.000100 seconds, 10.0MB/s";
  err(`${records} records in\n${records} records out\n${copied} bytes (${human(copied)}) copied, ${speed}\n`);
  return 0;
}

/** Writes the output. `size`: the size in bytes, if the text is only the beginning. */
function written(
  call: ProgramCall,
  name: string | undefined,
  text: string,
  appends: boolean,
  size: number | undefined,
): string | undefined {
  if (name === undefined) {
    call.out(text);
    return undefined;
  }
  const path = absolute(name, call.shell.folder);
  if (path === "/dev/null") return undefined;
  const problem = whyNotWritable(call.shell, path);
  if (problem === undefined)
    edit(call.process, { path, text, ...(appends ? { appends } : {}), ...(size === undefined ? {} : { size }) });
  return problem;
}

function sizeOf(text: string): number | undefined {
  const [, amount = "", unit = ""] = /^(\d+)([cwbkKMG]?)B?$/.exec(text) ?? [];
  return amount === "" ? undefined : Number(amount) * (unit === "" ? 1 : (sizes[unit] ?? 1));
}

function human(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)}KB` : `${(bytes / 1024 ** 2).toFixed(1)}MB`;
}
