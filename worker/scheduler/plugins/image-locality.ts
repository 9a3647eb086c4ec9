// ImageLocality: prefers nodes that have the pod's images, weighed by how many nodes have them.
import type { NodeInfo } from "../node-info.ts";
import { type Plugin, maxNodeScore } from "../framework.ts";

const megabyte = 1024 * 1024;
/** The total size below which images give no preference. */
const minThreshold = 23 * megabyte;
const maxContainerThreshold = 1000 * megabyte;

export const imageLocality: Plugin = {
  name: "ImageLocality",
  weight: 1,
  preScore({ pod: { spec }, snapshot }) {
    if (snapshot.imageNodes.size === 0) return { score: () => 0 };
    const containers = [...(spec.initContainers ?? []), ...spec.containers];
    const volumes = (spec.volumes ?? []).flatMap(({ image }) => image?.reference ?? []);
    const images = [...containers.map(({ image = "" }) => image), ...volumes].map(normalizedImageName);
    const most = maxContainerThreshold * containers.length;
    const total = snapshot.nodeInfoList.length;
    const present = (node: NodeInfo, image: string) => {
      const spread = (snapshot.imageNodes.get(image) ?? 0) / total;
      return Math.trunc((node.facts.images.get(image) ?? 0) * spread);
    };
    return {
      score: (node) => {
        const bytes = images.reduce((sum, image) => sum + present(node, image), 0);
        const bounded = Math.min(Math.max(bytes, minThreshold), most);
        return Math.trunc((maxNodeScore * (bounded - minThreshold)) / (most - minThreshold));
      },
    };
  },
};

/** Adds the tag `latest` to a name without a tag. */
function normalizedImageName(image: string): string {
  return image.lastIndexOf(":") <= image.lastIndexOf("/") ? `${image}:latest` : image;
}
