// Which nginx an image has, by its tag.
import { imageEnvironment } from "../../../images/environments.ts";
import { parseImage } from "../../../images/reference.ts";

const newest = "1.29.3";

export function versionOf(image: string): string {
  const reference = parseImage(image);
  if ("error" in reference) return newest;
  const told = imageEnvironment(reference)["NGINX_VERSION"];
  return told ?? /^v?(\d+\.\d+(?:\.\d+)?)/.exec(reference.tag ?? "")?.[1] ?? newest;
}
