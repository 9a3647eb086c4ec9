// A watch of the service under test, line by line.
import { type IncomingMessage, Agent } from "node:http";
import { open } from "./http.ts";
import type { Sandbox } from "./sandbox.ts";

export interface WatchLine {
  readonly type: string;
  readonly object: {
    readonly metadata: { readonly name: string };
    readonly status?: { readonly phase?: string; readonly readyReplicas?: number; readonly availableReplicas?: number };
  };
}

export interface Watch {
  end(): void;
}

/** The forms of events, by their `Accept` headers. */
export const watchForms = {
  json: "application/json",
  table: "application/json;as=Table;v=v1;g=meta.k8s.io",
  protobuf: "application/vnd.kubernetes.protobuf;stream=watch",
} as const;
export type WatchForm = keyof typeof watchForms;

/** Opens a watch on a connection of its own. `line` is called for each event, with its text unless the form is protobuf. */
export async function watch(
  sandbox: Sandbox,
  path: string,
  line: (text: string) => void,
  form: WatchForm = "json",
): Promise<Watch> {
  const { metadata } = JSON.parse(await sandbox.get(`${path}?limit=1`)) as { metadata: { resourceVersion: string } };
  const agent = new Agent({ keepAlive: false });
  const query = `?watch=1&resourceVersion=${metadata.resourceVersion}`;
  const headers = { accept: watchForms[form] };
  const response = await open(agent, sandbox.url + path + query, { token: sandbox.token, headers });
  if (response.statusCode !== 200) throw new Error(`the watch of ${path} answered ${response.statusCode ?? 0}`);
  if (form === "protobuf") forFrames(response, () => line(""));
  else forLines(response, line);
  return {
    end: () => {
      response.destroy();
      agent.destroy();
    },
  };
}

/** Resolves when a watch has received an event for which `done` is true. */
export async function until(sandbox: Sandbox, path: string, done: (event: WatchLine) => boolean) {
  const { promise, resolve } = Promise.withResolvers<number>();
  const opened = await watch(sandbox, path, (text) => {
    // Each line is an event of the watch.
    if (done(JSON.parse(text) as WatchLine)) resolve(performance.now());
  });
  return { at: promise.finally(() => opened.end()) };
}

function forLines(response: IncomingMessage, line: (text: string) => void): void {
  let incompleteLine = "";
  response.setEncoding("utf8");
  response.on("error", () => undefined);
  response.on("data", (chunk: string) => {
    const lines = (incompleteLine + chunk).split("\n");
    incompleteLine = lines.pop() ?? "";
    for (const completeLine of lines) line(completeLine);
  });
}

/** Counts frames, each of which has its length before it, in four bytes. */
function forFrames(response: IncomingMessage, frame: () => void): void {
  let incompleteFrame: Buffer = Buffer.alloc(0);
  response.on("error", () => undefined);
  response.on("data", (chunk: Buffer) => {
    incompleteFrame = incompleteFrame.length === 0 ? chunk : Buffer.concat([incompleteFrame, chunk]);
    while (incompleteFrame.length >= 4 && incompleteFrame.length >= 4 + incompleteFrame.readUInt32BE(0)) {
      incompleteFrame = incompleteFrame.subarray(4 + incompleteFrame.readUInt32BE(0));
      frame();
    }
  });
}
