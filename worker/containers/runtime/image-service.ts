// The images of a node: what the simulated registries have, and what was pulled.
import { type Delays, delayOf } from "../../machine/delays.ts";
import type { Image, ImageService } from "../cri.ts";
import {
  configurationOf,
  exactImage,
  imageOf,
  type NamedImage,
  pulledImageOf,
  pullProblemOf,
} from "../images/named.ts";
import type { ImageSource } from "../images/own.ts";
import { type ImageReference, parseImage } from "../images/reference.ts";
import type { Trusts } from "../images/trust.ts";

/** The images on the disk of a node. */
export interface ImageStore {
  /** Since when the node has an image; undefined if it has not. */
  since(reference: ImageReference): number | undefined;
  keep(reference: ImageReference, sinceMs: number): void;
}

/** `trusts`: whether somebody says that the pod's image can be pulled, known or not. */
export function imageService(store: ImageStore, source: ImageSource, trusts: Trusts, delays: Delays): ImageService {
  return {
    imageStatus: (image) => {
      const reference = parseImage(image);
      return "error" in reference ? reference : new ReferencedImage(imageOf(reference, source));
    },
    presentSince: (image) => store.since(referenceOf(image)),
    pullImage: (image, pod, { name }, atMs) => {
      const reference = referenceOf(image);
      const error = pullProblemOf(imageOf(reference, source), source, (one) => trusts(pod, one));
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
  readonly #image: NamedImage;

  constructor(image: NamedImage) {
    this.reference = image.reference;
    this.#image = image;
  }

  get name(): string {
    return this.reference.text;
  }

  get tag(): string | undefined {
    return this.reference.tag;
  }

  get id(): string {
    return pulledImageOf(this.#image).id;
  }

  get sizeBytes(): number {
    return pulledImageOf(this.#image).sizeBytes;
  }

  get uid(): number | undefined {
    const known = exactImage(this.#image);
    return configurationOf(this.#image)?.uid ?? (known && (known.uid ?? 0));
  }

  get username(): string {
    const [name = ""] = configurationOf(this.#image)?.user.split(":", 1) ?? [];
    return /^\d+$/.test(name) ? "" : name;
  }
}

/** Every image that a kubelet has was given out by this service. */
function referenceOf(image: Image): ImageReference {
  return (image as ReferencedImage).reference;
}
