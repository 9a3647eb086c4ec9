// Connects kubelets and container runtimes: a kubelet calls its node's runtime, and the runtime's logs contain the lines of the kubelet's probes.
import type { ContainerRuntimes } from "../../containers/cri.ts";
import type { ClusterView } from "../../containers/run/world.ts";
import { containerRuntimes, readingServices, type RuntimeOptions } from "../../containers/runtime/runtimes.ts";
import { probedIn } from "../../kubelet/prober/probe-lines.ts";

export const probed: ClusterView["probed"] = (pod, container, view, span) =>
  probedIn(pod, container, readingServices(view), span);

export function nodeRuntimes(options: Omit<RuntimeOptions, "probed">): ContainerRuntimes {
  return containerRuntimes({ ...options, probed });
}
