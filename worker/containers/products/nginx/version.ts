// The version of nginx that an image has, by its tag.
import { versionOfImage, type Versions } from "../../images/known-image.ts";

export const versions: Versions = {
  newest: "1.29.3",
  fullByPrefix: {
    "1": "1.29.3",
    "1.25": "1.25.5",
    "1.26": "1.26.3",
    "1.27": "1.27.5",
    "1.28": "1.28.0",
    stable: "1.28.0",
  },
};

export function versionOf(image: string): string {
  return versionOfImage(image, versions);
}
