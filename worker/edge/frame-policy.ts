// Which origins may frame a live view: signed into its URL, so that serving the page asks nobody.
import type { Secret } from "../../shared/base/secret.ts";
import { isTag, tag } from "./mac.ts";

const tagLength = 20;

/** The value of the view's `frame` parameter. */
export async function frameParameter(secret: Secret, sandboxId: string, origins: readonly string[]): Promise<string> {
  const text = btoa(origins.join(" ")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `${text}.${await tag(secret, "frame", `${sandboxId}:${text}`, tagLength)}`;
}

/** The origins of a `frame` parameter; none if it is not ours. */
export async function frameOrigins(secret: Secret, sandboxId: string, parameter: string): Promise<string[]> {
  const [text = "", given = ""] = parameter.split(".");
  if (!(await isTag(secret, "frame", `${sandboxId}:${text}`, given, tagLength))) return [];
  return atob(text.replaceAll("-", "+").replaceAll("_", "/")).split(" ").filter(Boolean);
}
