// The working directory of a container.
import type { Container } from "../../../shared/k8s/api/core-v1.ts";
import { configurationOf, imageNamed } from "../images/image-lookup.ts";
import type { ImageSource } from "../images/own-images.ts";

/** Returns the working directory of a container, or else of its image, as an absolute path. */
export function workingDirOf({ workingDir, image }: Container, source: ImageSource): string {
  if (workingDir) return workingDir;
  const named = imageNamed(image, source);
  return (named && configurationOf(named)?.workingDir) || "/";
}
