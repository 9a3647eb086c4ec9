// The origins that can frame a live view. They are signed into its URL, so the page is served without a query.
import type { Secret } from "../../shared/base/secret.ts";
import { isTag, tag } from "./mac.ts";

const tagLength = 20;

/** Returns the value of the view's `frame` parameter. */
export async function frameParameter(secret: Secret, sandboxId: string, origins: readonly string[]): Promise<string> {
  const text = btoa(origins.join(" ")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `${text}.${await tag(secret, "frame", `${sandboxId}:${text}`, tagLength)}`;
}

/** Returns the origins of a `frame` parameter, or none if its signature is invalid. */
export async function frameOrigins(secret: Secret, sandboxId: string, parameter: string): Promise<string[]> {
  const [text = "", mac = ""] = parameter.split(".");
  if (!(await isTag(secret, "frame", `${sandboxId}:${text}`, mac, tagLength))) return [];
  return atob(text.replaceAll("-", "+").replaceAll("_", "/")).split(" ").filter(Boolean);
}
