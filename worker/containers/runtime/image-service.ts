// The images of a node: those in the simulated registries, and those that were pulled.
import { type Delays, delayOf } from "../../machine/delays.ts";
import type { Image, ImageService } from "../cri.ts";
import {
  configurationOf,
  exactImage,
  imageOf,
  type NamedImage,
  pulledImageOf,
  pullProblemOf,
} from "../images/image-lookup.ts";
import type { ImageSource } from "../images/own-images.ts";
import { type ImageReference, parseImage } from "../images/reference.ts";
import type { Trusts } from "../images/trust.ts";

/** The images on the disk of a node. */
export interface ImageStore {
  /** Returns since when the node has an image; undefined if it has not. */
  since(reference: ImageReference): number | undefined;
  keep(reference: ImageReference, sinceMs: number): void;
}

/** Returns the image service of a node. `trusts`: reports whether a user declared that the pod's image can be pulled. */
export function imageService(store: ImageStore, source: ImageSource, trusts: Trusts, delays: Delays): ImageService {
  return {
    imageStatus: (image) => {
      const reference = parseImage(image);
      return "error" in reference ? reference : new ReferencedImage(imageOf(reference, source));
    },
    presentSince: (image) => store.since(referenceOf(image)),
    pullImage: (image, pod, { name }, atMs) => {
      const reference = referenceOf(image);
      const error = pullProblemOf(imageOf(reference, source), source, (candidate) => trusts(pod, candidate));
      const wholeMs = delayOf(delays, pod, delays.pullMs, `pull/${name}`);
      // A check whether the image changed or exists takes less time than a pull.
      if (error !== undefined) return { error, tookMs: Math.round(wholeMs / 2) };
      const since = store.since(reference);
      return { tookMs: since !== undefined && since <= atMs ? Math.round(wholeMs / 3) : wholeMs };
    },
    keepImage: (image, sinceMs) => store.keep(referenceOf(image), sinceMs),
  };
}

/** An image whose rarely needed fields are computed when they are read. */
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
    const facts = exactImage(this.#image);
    return configurationOf(this.#image)?.uid ?? (facts && (facts.uid ?? 0));
  }

  get username(): string {
    const [name = ""] = configurationOf(this.#image)?.user.split(":", 1) ?? [];
    return /^\d+$/.test(name) ? "" : name;
  }
}

/** Returns the reference of an image that this service created. */
function referenceOf(image: Image): ImageReference {
  return (image as ReferencedImage).reference;
}
