// The program `base64`: encodes and decodes bytes.
import { base64Of, tryBytesOfBase64 } from "../../base/base64.ts";
import { bytesOfText, textOfBytes } from "../../base/byte-text.ts";
import { Growing } from "../lines.ts";
import { chargeForBuilding, charge, type Metered } from "../meter.ts";
import { options } from "../options.ts";
import type { Task } from "../task.ts";
import type { TextCall } from "./call.ts";
import { perFile } from "./per-file.ts";

const usualWidth = 76;
/** Microseconds of encoding or decoding one character. The result with its line ends has at most two characters for each. */
const characterWork = 1 / 8;

export function* base64(call: TextCall): Task<number> {
  const { flags, values } = options(call.args, "w");
  const decodes = flags.has("d") || flags.has("D") || flags.has("decode");
  const wrap = values.get("w") ?? values.get("wrap") ?? String(usualWidth);
  if (!/^\d{1,9}$/.test(wrap)) {
    call.err(`base64: invalid wrap size: '${wrap}'\n`);
    return 1;
  }
  let isValid = true;
  const code = yield* perFile(
    call,
    (text) => {
      charge(call.process, text.length * characterWork);
      chargeForBuilding(call.process, 2 * text.length);
      if (!decodes) return call.out(wrapped(call.process, base64Of(bytesOfText(text)), Number(wrap)));
      const bytes = tryBytesOfBase64(text.replace(/\s/g, ""));
      isValid &&= bytes !== undefined;
      if (bytes) call.out(textOfBytes(bytes));
    },
    "w",
  );
  if (isValid) return code;
  call.err("base64: invalid input\n");
  return 1;
}

/** Splits into lines of a width; 0 leaves one line without an end. */
function wrapped(payer: Metered, text: string, width: number): string {
  if (width === 0) return text;
  const lines = new Growing(payer);
  for (let at = 0; at < text.length; at += width) lines.add(`${text.slice(at, at + width)}\n`);
  return lines.take();
}
