// Reads a watch as its clients do: events one by one, as they come.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Sandbox } from "./sandbox.ts";

export interface WatchEvent {
  readonly type: string;
  readonly object: KubeObject & Record<string, unknown>;
}

export async function openWatch(sandbox: Sandbox, path: string, init: RequestInit = {}) {
  const response = await sandbox.send(path, init);
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return watchReader(response);
}

export function watchReader(response: Response) {
  if (!response.body) throw new Error("no body");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  const ready: WatchEvent[] = [];
  const fill = async (): Promise<boolean> => {
    const { done, value } = await reader.read();
    if (done) return false;
    const lines = (held + value).split("\n");
    held = lines.pop() ?? "";
    // What a watch sends.
    ready.push(...lines.map((line) => JSON.parse(line) as WatchEvent));
    return true;
  };
  return {
    /** The next events, fewer if the watch ends. */
    next: async (count: number): Promise<WatchEvent[]> => {
      while (ready.length < count && (await fill()));
      return ready.splice(0, count);
    },
    /** Up to and with the first event for which `is` holds. */
    until: async (is: (event: WatchEvent) => boolean): Promise<WatchEvent[]> => {
      for (;;) {
        const at = ready.findIndex(is);
        if (at >= 0) return ready.splice(0, at + 1);
        if (!(await fill())) throw new Error(`the watch ended after ${JSON.stringify(ready.splice(0))}`);
      }
    },
    rest: async (): Promise<WatchEvent[]> => {
      while (await fill());
      return ready.splice(0);
    },
    cancel: () => reader.cancel(),
  };
}

export const named = (name: string) => (event: WatchEvent) => event.object.metadata.name === name;
/** `ADDED a` */
export const brief = ({ type, object }: WatchEvent) => `${type} ${object.metadata?.name ?? ""}`;
