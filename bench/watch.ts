// A watch of the service under test, line by line.
import type { IncomingMessage } from "node:http";
import { Agent } from "node:http";
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

/** Watches on a connection of its own from now on; `line` is called with each event as text. */
export async function watch(sandbox: Sandbox, path: string, line: (text: string) => void): Promise<Watch> {
  const { metadata } = JSON.parse(await sandbox.get(`${path}?limit=1`)) as { metadata: { resourceVersion: string } };
  const agent = new Agent({ keepAlive: false });
  const query = `?watch=1&resourceVersion=${metadata.resourceVersion}`;
  const response = await open(agent, sandbox.url + path + query, { token: sandbox.token });
  if (response.statusCode !== 200) throw new Error(`the watch of ${path} answered ${response.statusCode ?? 0}`);
  forLines(response, line);
  return {
    end: () => {
      response.destroy();
      agent.destroy();
    },
  };
}

/** Resolves when a watch showed an event for which `done` is true. */
export async function until(sandbox: Sandbox, path: string, done: (event: WatchLine) => boolean) {
  const { promise, resolve } = Promise.withResolvers<number>();
  const opened = await watch(sandbox, path, (text) => {
    // An event of the watch.
    if (done(JSON.parse(text) as WatchLine)) resolve(performance.now());
  });
  return { at: promise.finally(() => opened.end()) };
}

function forLines(response: IncomingMessage, line: (text: string) => void): void {
  let held = "";
  response.setEncoding("utf8");
  response.on("error", () => undefined);
  response.on("data", (part: string) => {
    const lines = (held + part).split("\n");
    held = lines.pop() ?? "";
    for (const one of lines) line(one);
  });
}
