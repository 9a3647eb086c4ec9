// Checksums of files (md5sum and similar programs), and gzip.
import type { Task } from "../../../../../shared/shell/task.ts";
import { textCall } from "../../text-call.ts";
import { createHash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { bytesOfText, textOfBytes } from "../../../../../shared/base/byte-text.ts";
import { limits } from "../../../../../shared/base/limits.ts";
import { absolute } from "../../files.ts";
import { takeAll } from "../../input.ts";
import { chargeForBuilding, charge } from "../../../../../shared/shell/meter.ts";
import { edit, type Process } from "../../process.ts";
import { type ProgramCall, type Programs } from "../../program.ts";
import { options } from "../../../../../shared/shell/options.ts";
import { linesOf } from "../../../../../shared/shell/lines.ts";
import { isBusybox } from "../per-file.ts";
import { missing, perFile } from "../../../../../shared/shell/text/per-file.ts";

export type Algorithm = "md5" | "sha1" | "sha224" | "sha256" | "sha384" | "sha512";

export const sumPrograms: Programs = {
  ...Object.fromEntries(
    (["md5", "sha1", "sha224", "sha256", "sha384", "sha512"] as const).map((name) => [
      `${name}sum`,
      (call: ProgramCall) => sums(call, name),
    ]),
  ),
  cksum: (call) =>
    perFile(textCall(call), (text, name) =>
      call.out(
        `${crcOf(call.process, bytesOf(call.process, text), true)} ${bytesOfText(text).length}${name === "-" ? "" : ` ${name}`}\n`,
      ),
    ),
  gzip: (call) =>
    gzip(
      call,
      call.args.some((arg) => /^-\w*d|^--decompress$/.test(arg)),
    ),
  gunzip: (call) => gzip(call, true),
  zcat: (call) => gzip({ ...call, args: ["-c", ...call.args] }, true),
};

export function bytesOf(process: Process, text: string): Uint8Array<ArrayBuffer> {
  chargeForBuilding(process, 2 * text.length);
  return bytesOfText(text);
}

export function hashOf(process: Process, algorithm: Algorithm, text: string): string {
  charge(process, 2 + text.length / 128);
  return createHash(algorithm).update(bytesOf(process, text)).digest("hex");
}

function* sums(call: ProgramCall, algorithm: Algorithm): Task<number> {
  const { process } = call;
  const { flags } = options(call.args);
  if (!flags.has("c") && !flags.has("check"))
    return yield* perFile(textCall(call), (text, name) => call.out(`${hashOf(process, algorithm, text)}  ${name}\n`));
  let [wrong, all] = [0, 0];
  const isQuiet = flags.has("s") || flags.has("status");
  const code = yield* perFile(textCall(call), (list) => {
    for (const line of linesOf(list)) {
      const [, sum = "", name = ""] = /^([0-9a-f]{32,128}) [ *](.+)$/.exec(line) ?? [];
      if (sum === "") continue;
      all++;
      const text = name === "-" ? "" : process.files.get(absolute(name, call.shell.folder))?.text;
      const isRight = text !== undefined && hashOf(process, algorithm, text) === sum;
      if (text === undefined) missing(textCall(call), name);
      if (!isRight) wrong++;
      if (!isQuiet) call.out(`${name}: ${isRight ? "OK" : text === undefined ? "FAILED open or read" : "FAILED"}\n`);
    }
  });
  if (wrong > 0 && !isQuiet)
    call.err(
      isBusybox(process)
        ? `${call.name}: WARNING: ${wrong} of ${all} computed checksums did NOT match\n`
        : `${call.name}: WARNING: ${wrong} computed checksum did NOT match\n`,
    );
  return wrong > 0 || all === 0 ? 1 : code;
}

const table = Uint32Array.from({ length: 256 }, (_, at) => {
  let value = at;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Returns the CRC of cksum (`isPosix`), which includes the length, or that of gzip. */
function crcOf(process: Process, bytes: Uint8Array, isPosix = false): number {
  charge(process, bytes.length / (isPosix ? 16 : 64));
  if (!isPosix) {
    let crc = 0xffffffff;
    for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 255] ?? 0);
    return (crc ^ 0xffffffff) >>> 0;
  }
  let crc = 0;
  const add = (byte: number) => {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  };
  for (const byte of bytes) add(byte);
  for (let length = bytes.length; length > 0; length = Math.floor(length / 256)) add(length & 255);
  return ~crc >>> 0;
}

/** Returns a gzip file with one member. */
export function compressed(process: Process, text: string): string {
  const bytes = bytesOf(process, text);
  charge(process, 20 + bytes.length / 32);
  const body = deflateRawSync(bytes);
  const archive = new Uint8Array(18 + body.length);
  archive.set([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  archive.set(body, 10);
  const view = new DataView(archive.buffer);
  view.setUint32(10 + body.length, crcOf(process, bytes), true);
  view.setUint32(14 + body.length, bytes.length, true);
  return textOfBytes(archive);
}

/** Decompresses a gzip file. Returns undefined if the text is not an archive or exceeds a container's limits. */
export function uncompressed(process: Process, text: string): string | undefined {
  const bytes = bytesOf(process, text);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8) return undefined;
  const flags = bytes[3] ?? 0;
  let at = 10;
  if (flags & 4) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);
  for (const flag of [8, 16]) if (flags & flag) at = bytes.indexOf(0, at) + 1;
  if (flags & 2) at += 2;
  const most = Math.min(process.meter.mostBytes - process.meter.bytes, limits.containerMemoryBytes);
  charge(process, 20 + most / 64_000);
  try {
    const plain = inflateRawSync(bytes.subarray(at, -8), { maxOutputLength: Math.max(1, most) });
    charge(process, plain.length / 128);
    chargeForBuilding(process, plain.length * 2);
    return textOfBytes(plain);
  } catch (error) {
    if (
      error instanceof Error &&
      ["Z_DATA_ERROR", "Z_BUF_ERROR", "ERR_BUFFER_TOO_LARGE"].includes(String((error as { code?: unknown }).code))
    )
      return undefined;
    throw error;
  }
}

function* gzip(call: ProgramCall, isBack: boolean): Task<number> {
  const { process, shell } = call;
  const { flags, rest } = options(call.args);
  const isPrinted = flags.has("c") || flags.has("stdout") || rest.length === 0;
  if (rest.length === 0) {
    const text = yield* takeAll(process, call.input);
    if (text === undefined) return 0;
    const output = isBack ? uncompressed(process, text) : compressed(process, text);
    if (output === undefined)
      call.err(isBusybox(process) ? `${call.name}: invalid magic\n` : "gzip: stdin: not in gzip format\n");
    else call.out(output);
    return output === undefined ? 1 : 0;
  }
  let code = 0;
  for (const name of rest) {
    const path = absolute(name, shell.folder);
    const text = process.files.get(path)?.text;
    const problem =
      text === undefined
        ? "No such file or directory"
        : isBack && !/\.t?gz$/.test(name) && !isPrinted
          ? "unknown suffix - ignored"
          : undefined;
    const output =
      problem !== undefined || text === undefined
        ? undefined
        : isBack
          ? uncompressed(process, text)
          : compressed(process, text);
    if (output === undefined) {
      call.err(`${isBusybox(process) ? call.name : "gzip"}: ${name}: ${problem ?? "not in gzip format"}\n`);
      code = 1;
      continue;
    }
    if (isPrinted) call.out(output);
    else
      edit(process, {
        path: isBack ? path.replace(/\.gz$/, "").replace(/\.tgz$/, ".tar") : `${path}.gz`,
        text: output,
      });
    if (!isPrinted && !flags.has("k")) edit(process, { path, text: undefined, removed: true });
  }
  return code;
}
