// `kubectl cp`: copies files and folders from a container with its `tar`, and to a container with its `sh`.
import { absolute } from "../../../shared/shell/paths.ts";
import type { CommandCall, Command } from "../command.ts";
import { boolFlag, intFlag, stringFlag } from "../flag.ts";
import { containerOf, objectNamed } from "../resources/pods.ts";
import { tarFiles } from "../tar.ts";
import { openSession, throwEnd } from "./exec.ts";

interface Place {
  readonly pod: string;
  readonly namespace: string;
  readonly path: string;
}

export const cp: Command = {
  name: "cp",
  use: "<file-spec-src> <file-spec-dest> [options]",
  short: "Copy files and directories to and from containers",
  completes: "files",
  flags: [
    stringFlag("container", "Container name.", { short: "c" }),
    boolFlag(
      "no-preserve",
      "The copied file/directory's ownership and permissions will not be preserved in the container",
    ),
    intFlag("retries", "Set number of retries to complete a copy operation from a container.", { default: 0 }),
  ],
  run: async (call) => {
    const [from, to, more] = call.args;
    if (from === undefined || to === undefined || more !== undefined)
      throw new Error("source and destination are required");
    const [source, target] = [placeOf(from), placeOf(to)];
    if (source.pod && target.pod) throw new Error("one of src or dest must be a local file specification");
    if (!source.path || !target.path) throw new Error("filepath can not be empty");
    if (source.pod) return download(call, source, target.path);
    if (target.pod) return upload(call, source.path, target);
    throw new Error("one of src or dest must be a remote file specification");
  },
};

function placeOf(text: string): Place {
  const colon = text.indexOf(":");
  if (colon < 0) return { pod: "", namespace: "", path: text };
  if (colon === 0) throw new Error("filespec must match the canonical format: [[namespace/]pod:]file/path");
  const segments = text.slice(0, colon).split("/");
  const path = text.slice(colon + 1);
  if (segments.length > 2) throw new Error("filespec must match the canonical format: [[namespace/]pod:]file/path");
  return segments.length === 2
    ? { namespace: segments[0] ?? "", pod: segments[1] ?? "", path }
    : { namespace: "", pod: segments[0] ?? "", path };
}

/** Runs a command in the container, and returns its output. */
async function inContainer(
  call: CommandCall,
  { pod: name, namespace }: Place,
  command: readonly string[],
  input: string | undefined,
): Promise<Uint8Array> {
  const within = namespace ? { ...call, namespace } : call;
  const pod = await objectNamed(within, name);
  const container = containerOf(within, pod, call.flags.text("container"), false);
  const chunks: Uint8Array[] = [];
  let complaint = "";
  const status = await openSession(within, pod, "exec", {
    container,
    command,
    tty: false,
    ...(input === undefined ? {} : { input }),
    out: (bytes) => void chunks.push(bytes),
    err: (bytes) => void (complaint += new TextDecoder().decode(bytes)),
  });
  // Upstream prints what the container's program complains about to standard output.
  if (complaint) call.streams.out(complaint);
  throwEnd(status);
  const output = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    output.set(chunk, at);
    at += chunk.length;
  }
  return output;
}

async function download(call: CommandCall, source: Place, target: string): Promise<void> {
  const { files } = call.surroundings;
  const output = await inContainer(call, source, ["tar", "cf", "-", source.path], undefined);
  const path = absolute(target, files.folder);
  const name = source.path.split("/").at(-1) ?? "";
  const place = files.list(path) === undefined ? path : `${path}/${name}`;
  const prefix = absolute(source.path, "/").slice(1);
  for (const entry of tarFiles(output)) {
    const rest = absolute(entry.name, "/").slice(1 + prefix.length);
    files.write(absolute(place + rest, "/"), new TextDecoder().decode(entry.content));
  }
}

async function upload(call: CommandCall, source: string, target: Place): Promise<void> {
  const { files } = call.surroundings;
  const path = absolute(source, files.folder);
  const text = files.read(path);
  if (text === undefined) {
    const entries = files.list(path);
    if (!entries) throw new Error(`${source} doesn't exist in local filesystem`);
    for (const entry of entries)
      await upload(call, `${source}/${entry}`, { ...target, path: `${target.path}/${entry}` });
    return;
  }
  const name = source.split("/").at(-1) ?? "";
  const script = 'mkdir -p "$(dirname "$1")"; if [ -d "$1" ]; then cat > "$1/$2"; else cat > "$1"; fi';
  await inContainer(call, target, ["sh", "-c", script, "sh", target.path, name], text);
}
