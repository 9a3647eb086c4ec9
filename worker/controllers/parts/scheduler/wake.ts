// Which waiting pods a change may help (upstream: `movePodsToActiveOrBackoffQueue`).
import { pods } from "../../../kinds/core/pod/pod.ts";
import type { Client } from "../../../registry/client.ts";
import type { Request } from "../../../runtime/controller.ts";
import type { Change } from "./change.ts";
import { failureOf } from "./pending.ts";
import { noNodesMessage } from "./fit-error.ts";
import type { Cycle, Plugin } from "./plugin.ts";
import { plugins } from "./plugins.ts";
import type { SchedulingQueue } from "./queue.ts";
import type { Entry } from "./queue-entry.ts";

export interface Waker {
  readonly queue: SchedulingQueue;
  readonly client: Client;
  cycleOf(pod: Cycle["pod"]): Cycle;
}

/** The pods that are to be tried again after a change; `onlyTo` leaves out those of more importance. */
export function* wake(waker: Waker, change: Change, onlyTo = Number.POSITIVE_INFINITY): Generator<Request> {
  const interested = interestedIn(change);
  const isFirstNode = change.kind === "Node" && change.names.includes("Node/add");
  if (interested.length === 0 && !isFirstNode) return;
  for (const entry of waker.queue.waiting()) {
    if (entry.priority <= onlyTo && isWoken(waker, entry, change, interested)) yield* activated(waker, entry);
  }
}

/** The pod itself has changed. */
export function* wakeOne(waker: Waker, entry: Entry, change: Change): Generator<Request> {
  if (entry.place === "waiting" && isWoken(waker, entry, change, interestedIn(change))) yield* activated(waker, entry);
}

/** The plugin that does not let the pod be tried yet, if any. */
export function gateOf(cycle: Cycle): string | undefined {
  return plugins.find(({ isGated }) => isGated?.(cycle))?.name;
}

/** A pod whose gate is still closed goes on waiting, for that gate. */
function* activated({ queue, client, cycleOf }: Waker, entry: Entry): Generator<Request> {
  const pod = client.get(pods, entry.namespace, entry.name);
  const gate = pod && gateOf(cycleOf(pod));
  if (gate !== undefined) {
    entry.gate = gate;
    return;
  }
  queue.activate(entry);
  yield { namespace: entry.namespace, name: entry.name };
}

function interestedIn({ names }: Change): readonly Plugin[] {
  return plugins.filter(({ wakesOn }) => wakesOn?.some((one) => names.includes(one)));
}

function isWoken({ client, cycleOf }: Waker, entry: Entry, change: Change, interested: readonly Plugin[]): boolean {
  const concerned = interested.filter(({ name }) =>
    entry.gate === undefined ? (entry.rejectors?.has(name) ?? true) : entry.gate === name,
  );
  const isFirstNode = change.kind === "Node" && change.before === undefined && entry.gate === undefined;
  if (concerned.length === 0 && !isFirstNode) return false;
  const pod = client.get(pods, entry.namespace, entry.name);
  if (!pod || pod.metadata.uid !== entry.uid) return false;
  if (isFirstNode && failureOf(pod) === noNodesMessage) return true;
  const cycle = cycleOf(pod);
  return concerned.some(({ wakes }) => !wakes || wakes(cycle, change));
}
