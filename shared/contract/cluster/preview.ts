// The control API's previews: `/v1/sandboxes/{id}/previews`. A preview is an address at which a browser shows a server in the sandbox.
import * as z from "zod";
import { limits } from "../../base/limits.ts";

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const nameCharacters = 253;
const objectName = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** Body of `POST`: the Service or Pod, and its port. */
export const createPreview = z.strictObject({
  kind: z.enum(["services", "pods"]),
  namespace: z.string().max(limits.labelCharacters).regex(label, "must be a namespace's name"),
  name: z.string().max(nameCharacters).regex(objectName, "must be an object's name"),
  /** The number or the name of the port. */
  port: z.string().max(limits.labelCharacters).regex(label, "must be a port's number or name"),
});

export type CreatePreview = z.infer<typeof createPreview>;

/** Response of `POST` (201). */
export const preview = z.object({
  /** The address. Whoever has it reaches this port, and nothing else of the sandbox. */
  url: z.url(),
  expiresAt: z.iso.datetime(),
});

export type Preview = z.infer<typeof preview>;
