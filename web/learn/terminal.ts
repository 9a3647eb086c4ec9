// Where the learner's terminal comes from: the one place that loads it. Where the build has none, the page has no such pane.
import type { ClusterAccess } from "../api/cluster.ts";

/** As far as the learner's page uses it. */
export interface Terminal {
  /** Types a line and runs it; resolves with its exit code. */
  run(line: string): Promise<number>;
  resize(): void;
  dispose(): void;
}

interface Options {
  readonly cluster: object;
  readonly namespace: string;
  /** What files and history are kept under. */
  readonly storageKey: string;
}

type OpenTerminal = (element: HTMLElement, options: Options) => Terminal;
type ConnectionTo = (access: ClusterAccess, name: string) => object;

const terminals = Object.values(import.meta.glob<{ openTerminal: OpenTerminal }>("../terminal/terminal.ts"));
const connections = Object.values(import.meta.glob<{ connectionTo: ConnectionTo }>("../api/connection.ts"));

export const hasTerminal = terminals.length > 0 && connections.length > 0;

/** `name`: what the kubeconfig calls the cluster. Undefined where there is none. */
export async function openTerminalIn(
  element: HTMLElement,
  access: ClusterAccess,
  { name, storageKey }: { readonly name: string; readonly storageKey: string },
): Promise<Terminal | undefined> {
  const [terminal, connection] = await Promise.all([terminals[0]?.(), connections[0]?.()]);
  if (!terminal || !connection) return undefined;
  return terminal.openTerminal(element, {
    cluster: connection.connectionTo(access, name),
    namespace: "default",
    storageKey,
  });
}
