// openssl's commands without keys: digests, random bytes, base64.
import type { Task } from "../../../../../shared/shell/task.ts";
import { base64Of, tryBytesOfBase64 } from "../../../../../shared/base/base64.ts";
import { textOfBytes } from "../../../../../shared/base/byte-text.ts";
import { limits } from "../../../../../shared/base/limits.ts";
import { stableHex } from "../../../../../shared/base/stable.ts";
import { chargeForBuilding, charge } from "../../../../../shared/shell/meter.ts";
import type { ProgramCall } from "../../program.ts";
import { type Algorithm, bytesOf, hashOf } from "../copying/sums.ts";
import { perFile } from "../../../../../shared/shell/text/per-file.ts";
import { textCall } from "../../text-call.ts";

/** Runs `version`, `rand`, digests and base64; returns undefined for other commands. */
export function* plainCommand(call: ProgramCall): Task<number | undefined> {
  const { process, args, out } = call;
  const [command = "", ...rest] = args;
  if (command === "version") {
    out("OpenSSL 3.5.4 30 Sep 2025 (Library: OpenSSL 3.5.4 30 Sep 2025)\n");
    return 0;
  }
  const digest = /^-?(md5|sha1|sha224|sha256|sha384|sha512)$/.exec(
    command === "dgst" ? (rest.find((arg) => /^-(md5|sha\d+)$/.test(arg)) ?? "-sha256") : command,
  )?.[1];
  if (digest !== undefined) {
    const digestName = digest.toUpperCase().replace("SHA", "SHA2-").replace("SHA2-1", "SHA1");
    return yield* perFile({ ...textCall(call), args: rest.filter((arg) => !arg.startsWith("-")) }, (text, name) => {
      const sum = hashOf(process, digest as Algorithm, text);
      out(
        rest.includes("-r")
          ? `${sum} *${name === "-" ? "stdin" : name}\n`
          : `${digestName}(${name === "-" ? "stdin" : name})= ${sum}\n`,
      );
    });
  }
  if (command === "rand") {
    const count = Math.min(Number(rest.find((arg) => /^\d+$/.test(arg)) ?? 16), limits.containerMemoryBytes / 8);
    chargeForBuilding(process, count * 4);
    charge(process, count / 8);
    process.version++;
    let hex = "";
    while (hex.length < count * 2) hex += stableHex(`openssl/${process.host}/${process.clockMs}/${process.seed++}`, 32);
    const bytes = Uint8Array.from({ length: count }, (_, at) => Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16));
    out(
      rest.includes("-hex")
        ? `${hex.slice(0, count * 2)}\n`
        : rest.includes("-base64")
          ? `${base64Of(bytes)}\n`
          : textOfBytes(bytes),
    );
    return 0;
  }
  if (command === "base64" || (command === "enc" && rest.includes("-base64"))) {
    return yield* perFile({ ...textCall(call), args: rest.filter((arg) => !arg.startsWith("-")) }, (text) => {
      charge(process, text.length / 16);
      const plain = rest.includes("-d") ? tryBytesOfBase64(text.replace(/\s/g, "")) : undefined;
      out(
        plain
          ? textOfBytes(plain)
          : `${base64Of(bytesOf(process, text)).replace(/(.{64})(?=.)/g, rest.includes("-A") ? "$1" : "$1\n")}\n`,
      );
    });
  }
  return undefined;
}
