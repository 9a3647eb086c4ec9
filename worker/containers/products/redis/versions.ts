// The versions of Redis that the tags of its image name.
import { versionOfImage, type Versions } from "../../images/known-image.ts";

const newest = "8.4.0";

export const versions: Versions = {
  newest,
  fullByPrefix: {
    "5": "5.0.14",
    "5.0": "5.0.14",
    "6": "6.2.21",
    "6.2": "6.2.21",
    "7": "7.4.7",
    "7.0": "7.0.15",
    "7.2": "7.2.12",
    "7.4": "7.4.7",
    "8": newest,
    "8.0": "8.0.5",
    "8.2": "8.2.3",
  },
};

export function redisVersion(image: string): string {
  return versionOfImage(image, versions);
}
