// Leader election of Go's clients: a Lease names the leader, and another candidate takes it over after its duration without renewal.
import type { V1Lease } from "@kubernetes/client-node";
import { V1MicroTime } from "@kubernetes/client-node";
import { type Clients, codeOf } from "./clients.ts";

const namespace = "default";
const name = "sites";
const durationSeconds = 2;
const retryMs = 300;

export interface Elector {
  leads(): boolean;
  /** Ends it as a crash would: the Lease stays. */
  stop(): Promise<void>;
}

export function startElector({ leases }: Clients, identity: string): Elector {
  const state = { leads: false, stopped: false, seen: "", seenMs: 0 };
  const turn = async (): Promise<boolean> => {
    if ((await codeOf(leases.readNamespacedLease({ namespace, name }))) === 404) {
      return (await codeOf(leases.createNamespacedLease({ namespace, body: lease(identity) }))) === 200;
    }
    const currentLease = await leases.readNamespacedLease({ namespace, name });
    const version = currentLease.metadata?.resourceVersion ?? "";
    if (version !== state.seen) Object.assign(state, { seen: version, seenMs: Date.now() });
    const holds = currentLease.spec?.holderIdentity === identity;
    if (!holds && Date.now() < state.seenMs + durationSeconds * 1000) return false;
    const body = lease(identity, currentLease);
    return (await codeOf(leases.replaceNamespacedLease({ namespace, name, body }))) === 200;
  };
  const run = async () => {
    while (!state.stopped) {
      state.leads = await turn();
      await new Promise((done) => void setTimeout(done, retryMs));
    }
  };
  const ended = run();
  return {
    leads: () => state.leads,
    stop: async () => {
      state.stopped = true;
      await ended;
      state.leads = false;
    },
  };
}

/** Returns the Lease that a candidate writes: a new one, a renewed one, or one that it takes over. */
function lease(identity: string, currentLease?: V1Lease): V1Lease {
  const renewed = currentLease?.spec?.holderIdentity === identity;
  const now = new V1MicroTime();
  const transitions = currentLease?.spec?.leaseTransitions ?? 0;
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: currentLease?.metadata ?? { name, namespace },
    spec: {
      holderIdentity: identity,
      leaseDurationSeconds: durationSeconds,
      acquireTime: renewed ? currentLease?.spec?.acquireTime : now,
      renewTime: now,
      leaseTransitions: transitions + (currentLease && !renewed ? 1 : 0),
    },
  };
}
