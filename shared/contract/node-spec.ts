// The specifications of a template's nodes, in addition to the properties of every simulated machine.
import * as z from "zod";
import { limits } from "../base/limits.ts";

const key = z
  .string()
  .max(316)
  .regex(
    /^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9](?:[-\w.]{0,61}[A-Za-z0-9])?$/,
    "must be a key of Kubernetes",
  );
const value = z
  .string()
  .max(63)
  .regex(/^(?:[A-Za-z0-9](?:[-\w.]*[A-Za-z0-9])?)?$/, "must be a value of Kubernetes");
const entries = 50;

function few<V>(schema: z.ZodRecord<z.ZodString, z.ZodType<V>>) {
  return schema.refine(
    (entriesByKey) => Object.keys(entriesByKey).length <= entries,
    `must have at most ${entries} entries`,
  );
}

export const nodeSpec = z.strictObject({
  /** The name. Default: `node-1`, `node-2` and so on. */
  name: z
    .string()
    .max(limits.sandboxNameCharacters)
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, "must consist of lower case letters, digits and '-'")
    .optional(),
  labels: few(z.record(key, value)).default({}),
  taints: z
    .array(
      z.strictObject({
        key,
        value: value.optional(),
        effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
      }),
    )
    .max(entries)
    .default([]),
  /** The capacity that overrides or extends the default: `{"cpu": "16", "example.com/gpu": "2"}`. */
  capacity: few(
    z.record(key, z.string().regex(/^[0-9]{1,15}(?:\.[0-9]{1,9})?(?:m|k|M|G|T|Ki|Mi|Gi|Ti)?$/, "must be a quantity")),
  ).default({}),
});

export type NodeSpec = z.output<typeof nodeSpec>;

export const nodeSpecs = z
  .array(nodeSpec)
  .max(limits.templateNodes)
  .refine((nodes) => new Set(nodes.map(nameOfNode)).size === nodes.length, "must have different names");

/** Returns the node's name. `at` is its index in the list. */
export function nameOfNode({ name }: Pick<NodeSpec, "name">, at: number): string {
  return name ?? `node-${at + 1}`;
}
