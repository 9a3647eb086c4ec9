// The container runtimes of a cluster's nodes, and a read-only one.
import type { Images, Unknown } from "../../../shared/contract/sandbox.ts";
import { defaultDelays, type Delays } from "../../machine/delays.ts";
import type { ContainerRuntimes, NodeServices, PersonalEdits } from "../cri.ts";
import { ownImagesOf } from "../images/own-images.ts";
import { trustOf } from "../images/trust.ts";
import { clusterView } from "../network/cluster-view.ts";
import { secondAddress } from "../network/second-address.ts";
import type { ClusterView } from "../run/world.ts";
import { imageService } from "./image-service.ts";
import { allocate, keepImage, rememberedNode } from "./node-memory.ts";
import { runtimeService } from "./service.ts";

export interface RuntimeOptions {
  /** The images that can be pulled; default: `strict`. */
  readonly images?: Images | undefined;
  /** The policy for software that the simulator lacks; default: `succeed`. */
  readonly unknown?: Unknown | undefined;
  /** The changes that users made inside containers. */
  readonly edits?: PersonalEdits | undefined;
  readonly delays: Delays;
  readonly probed?: ClusterView["probed"];
}

export function containerRuntimes({ edits, images, unknown, delays, probed }: RuntimeOptions): ContainerRuntimes {
  const ownImages = ownImagesOf(images);
  return {
    open: (memories) => {
      return (client, node, report) => {
        const memory = () => rememberedNode(memories, client, node);
        const view = {
          ...clusterView(client, { edits, proxyMs: delays.proxyMs, probed, unknown, ownImages }),
          ...(report ? { report } : {}),
        };
        return {
          runtime: runtimeService(
            view,
            {
              allocate: () => allocate(memory(), client, node),
              second: (first) => secondAddress(node.spec.podCIDRs ?? [], first),
            },
            delays,
          ),
          images: imageService(
            {
              since: (reference) => memory().images.get(reference.text),
              keep: (reference, sinceMs) => keepImage(memory().images, reference, sinceMs),
            },
            { ownImages },
            trustOf(client, images),
            delays,
          ),
        };
      };
    },
  };
}

/** Returns read-only services of a node: nothing is started on it. */
export function readingServices(view: ClusterView): NodeServices {
  return {
    runtime: runtimeService(view, { allocate: () => undefined }, defaultDelays),
    images: imageService({ since: () => undefined, keep: () => undefined }, view, () => true, defaultDelays),
  };
}
