// The simulated kubelets' list of images in `status.images` of their nodes, as upstream's `setters.go` reports it: the largest first, and not
// more than `nodeStatusMaxImages`. An image stays after its pods are gone.
import type { ContainerStatus, Node, Pod } from "../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../shared/k8s/equal.ts";
import type { ContainerRuntimes, ImageService } from "../containers/cri.ts";
import { isSimulated } from "../kinds/core/node/simulated.ts";
import { nodes } from "../kinds/core/node/node.ts";
import { systemImages } from "../machine/machine.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import { type Controller, defineController, type Request, watch } from "../runtime/controller.ts";

/** The time after which a kubelet reports a change (upstream: `nodeStatusUpdateFrequency`). */
const reportMs = 10_000;
/** The default of upstream's `nodeStatusMaxImages`. */
const maxImages = 50;
/** Kubelets of larger clusters do not report images: each report is a write. */
const maxNodes = 100;

type ContainerImage = NonNullable<Node["status"]["images"]>[number];

/** A request names a node. */
export function nodeImages(runtimes: ContainerRuntimes): Controller {
  const open = runtimes.open();
  return defineController({
    name: "kubelet-images",
    user: "system:node:sandbar",
    component: "kubelet",
    watches: [
      watch<Pod>(pods, function* (next, previous, client): Generator<Request> {
        const name = next?.spec.nodeName;
        if (!name || client.count(nodes) > maxNodes) return;
        const earlier = new Set(previous ? statusesOf(previous).map(({ imageID }) => imageID) : []);
        if (statusesOf(next).some(({ imageID }) => imageID !== "" && !earlier.has(imageID)))
          yield { namespace: "", name };
      }),
    ],
    reconcile({ name }, { client, nowMs, savedState }) {
      const node = client.get(nodes, "", name);
      if (!node || !isSimulated(node)) return undefined;
      const dueMs = savedState === undefined ? nowMs + reportMs : Number(savedState);
      const { images: before = [] } = node.status;
      const onNode = client.byIndexValue(pods, name);
      const images = imagesOf(before, onNode, open(client, node).images);
      // A new cluster is written once: its own images are reported with the first of a user's.
      const hasOther = onNode.flatMap(statusesOf).some(({ image }) => !systemImages.includes(image));
      if (!hasOther || semanticEqual(before, images)) return undefined;
      if (dueMs > nowMs) return { afterMs: dueMs - nowMs, savedState: String(dueMs) };
      client.updateStatus(nodes, { ...node, status: { ...node.status, images } });
      return undefined;
    },
  });
}

/** Returns the images that were listed before and those of pods whose containers have been created. */
function imagesOf(before: readonly ContainerImage[], onNode: readonly Pod[], service: ImageService): ContainerImage[] {
  const images = new Map(before.map((image) => [image.names?.[0] ?? "", image]));
  for (const { image, imageID } of onNode.flatMap(statusesOf)) {
    if (imageID === "" || images.has(imageID)) continue;
    // A new node lists the images that it comes with by their tags alone.
    images.delete(image);
    const status = service.imageStatus(image);
    const sizeBytes = "error" in status ? 0 : status.sizeBytes;
    images.set(imageID, { names: image.includes("@") ? [imageID] : [imageID, image], sizeBytes });
  }
  const bySize = [...images.values()].sort((a, b) => (b.sizeBytes ?? 0) - (a.sizeBytes ?? 0));
  return bySize.slice(0, maxImages);
}

function statusesOf({ status }: Pod): readonly ContainerStatus[] {
  return [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
}
