// Devices that a program can read like a file.
import { textOfBytes } from "../../../../../shared/base/byte-text.ts";
import { stableHex } from "../../../../../shared/base/stable.ts";
import { chargeForBuilding } from "../../../../../shared/shell/meter.ts";
import type { Process } from "../../process.ts";

/** The bytes after which an endless device ends here. */
const endlessBytes = 16 * 1024;

/** Returns the text of a device; undefined for other paths. */
export function deviceText(process: Process, path: string): string | undefined {
  if (path === "/dev/null") return "";
  if (path !== "/dev/random" && path !== "/dev/urandom") return undefined;
  chargeForBuilding(process, endlessBytes);
  process.version++;
  const hex = stableHex(
    `random/${process.world.node?.name ?? process.host}/${process.clockMs}/${process.seed++}`,
    2 * endlessBytes,
  );
  return textOfBytes(
    Uint8Array.from({ length: endlessBytes }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16)),
  );
}
