// The gauges of an export of metrics, which the object of metrics asks for.
import type { Env } from "../../env.ts";
import type { Gauges } from "../../metrics/text.ts";
import { readGauges } from "../control-api/tenancy/metrics.ts";
import { backing } from "./backing.ts";
import { report } from "./log.ts";

export async function gaugesOf(env: Env): Promise<Gauges | undefined> {
  try {
    return await readGauges(backing(env));
  } catch (error) {
    report(error, "the gauges of an export");
    return undefined;
  }
}
