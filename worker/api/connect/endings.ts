// The status of a command in a container, as its client receives it on the error channel.
import { stableHex } from "../../../shared/base/stable.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";

export const succeeded = { metadata: {}, status: "Success" };

/**
 * Returns the status of a command that exited. `protocols` matters because the newest protocol is translated, which changes the message.
 */
export function exited(code: number, command: readonly string[], protocols: string): object {
  const why = isTranslated(protocols)
    ? `command terminated with exit code ${code}`
    : `error executing command [${command.join(" ")}], exit code ${code}`;
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: ${why}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  };
}

/** Returns the status of a command that could not start. `missing` is the error of the runtime. */
export function failed(missing: string, { metadata }: Pod, protocols: string): object {
  const id = stableHex(`${metadata.uid ?? ""}/${missing}`, 64);
  const why = `OCI runtime exec failed: exec failed: unable to start container process: ${missing}`;
  const message = `Internal error occurred: error executing command in container: failed to exec in container: failed to start exec "${id}": ${why}`;
  return {
    metadata: {},
    status: "Failure",
    message: isTranslated(protocols) ? `Internal error occurred: ${message}` : message,
    reason: "InternalError",
    details: { causes: [{ message: message.replace("Internal error occurred: ", "") }] },
    code: 500,
  };
}

function isTranslated(protocols: string): boolean {
  return protocols.split(",").some((protocol) => protocol.trim() === "v5.channel.k8s.io");
}
