// The folder in which a container's programs begin.
import type { Container } from "../../../shared/k8s/api/core-v1.ts";
import { imageConfiguration } from "../images/configurations.ts";
import { parseImage } from "../images/reference.ts";

/** What the container says, or else its image; an absolute path. */
export function workingDirOf({ workingDir, image = "" }: Container): string {
  if (workingDir) return workingDir;
  const reference = parseImage(image);
  return ("error" in reference ? "" : imageConfiguration(reference)?.workingDir) || "/";
}
