// The images of a node: what the simulated registries have, and what was pulled.
import { type Delays, delayOf } from "../../machine/delays.ts";
import type { Image, ImageService } from "../cri.ts";
import { isExact, knownImage } from "../images/catalogue.ts";
import { imageConfiguration } from "../images/configurations.ts";
import { type ImageReference, parseImage } from "../images/reference.ts";
import { pulledImage, pullProblem } from "../images/registry.ts";
import type { Trusts } from "../images/trust.ts";

/** The images on the disk of a node. */
export interface ImageStore {
  /** Since when the node has an image; undefined if it has not. */
  since(reference: ImageReference): number | undefined;
  keep(reference: ImageReference, sinceMs: number): void;
}

/** `trusts`: whether somebody says that the pod's image can be pulled, known or not. */
export function imageService(store: ImageStore, trusts: Trusts, delays: Delays): ImageService {
  return {
    imageStatus: (image) => {
      const reference = parseImage(image);
      return "error" in reference ? reference : new ReferencedImage(reference);
    },
    presentSince: (image) => store.since(referenceOf(image)),
    pullImage: (image, pod, { name }, atMs) => {
      const reference = referenceOf(image);
      const error = pullProblem(reference, () => trusts(pod, reference));
      const wholeMs = delayOf(delays, pod, delays.pullMs, `pull/${name}`);
      // Asking the registry whether the image changed, or being told that it is not there, is quicker.
      if (error !== undefined) return { error, tookMs: Math.round(wholeMs / 2) };
      const since = store.since(reference);
      return { tookMs: since !== undefined && since <= atMs ? Math.round(wholeMs / 3) : wholeMs };
    },
    keepImage: (image, sinceMs) => store.keep(referenceOf(image), sinceMs),
  };
}

/** What is seldom asked for is worked out then. */
class ReferencedImage implements Image {
  readonly reference: ImageReference;

  constructor(reference: ImageReference) {
    this.reference = reference;
  }

  get name(): string {
    return this.reference.text;
  }

  get tag(): string | undefined {
    return this.reference.tag;
  }

  get id(): string {
    return pulledImage(this.reference).id;
  }

  get sizeBytes(): number {
    return pulledImage(this.reference).sizeBytes;
  }

  get uid(): number | undefined {
    const known = isExact(this.reference) ? knownImage(this.reference) : undefined;
    return imageConfiguration(this.reference)?.uid ?? (known && (known.uid ?? 0));
  }

  get username(): string {
    const [name = ""] = imageConfiguration(this.reference)?.user.split(":", 1) ?? [];
    return /^\d+$/.test(name) ? "" : name;
  }
}

/** Every image that a kubelet has was given out by this service. */
function referenceOf(image: Image): ImageReference {
  return (image as ReferencedImage).reference;
}
