// The schemas of a state file's metadata, because a file may come from anywhere.
import * as z from "zod";
import { stateFormat, type StateHeader, type StateLead, type StateMeta } from "./format.ts";

const count = z.int().min(0);
const partShape = z.object({ bytes: count, packed: count });

/** The lead of every version. */
export const leadShape = z.object({
  format: z.literal(stateFormat),
  version: z.int().min(1),
  size: count,
  digest: z.string(),
  signature: z.string().exactOptional(),
}) satisfies z.ZodType<StateLead>;

export const headerShape = z.object({
  revision: count,
  madeMs: z.number(),
  objects: count,
  bytes: count,
  index: partShape,
  meta: partShape,
}) satisfies z.ZodType<StateHeader>;

const request = z.object({
  controller: z.string(),
  namespace: z.string(),
  name: z.string(),
  dueMs: z.number(),
  attempts: count,
  savedState: z.string().exactOptional(),
});

export const metaShape = z.object({
  settings: z.record(z.string(), z.unknown()),
  certificates: z.object({ rootCA: z.string(), clientCA: z.string(), frontProxyCA: z.string() }),
  rows: z.array(z.tuple([z.string(), z.string()])),
  queue: z.array(request).exactOptional(),
  clock: z.object({ nowMs: z.number(), state: z.enum(["running", "paused"]), speed: z.number() }).exactOptional(),
}) satisfies z.ZodType<StateMeta>;
