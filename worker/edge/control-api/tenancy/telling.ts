// Sandboxes that are there are told what their tenant may do, when an operator has changed that: some by the request that changed it, all by
// the scheduled run, which comes back for those that were not reached or were being made.
import { limits } from "../../../../shared/base/limits.ts";
import type { SandboxStanding } from "../../../../shared/contract/cluster-life.ts";
import { limitsOf } from "../../../../shared/contract/hosted/plan.ts";
import { fromTheFirst } from "../../db/plans.ts";
import { decodeCursor, encodeCursor } from "../cursor.ts";
import type { ControlApiServer } from "../server.ts";
import { limitsOfSandbox, planNamed } from "./plans.ts";

type Telling = Pick<ControlApiServer, "plans" | "plan" | "limits" | "directory" | "cluster" | "nowMs" | "report">;

interface Told {
  /** How many were told. */
  readonly count: number;
  /** The place to go on from; null: none is left. */
  readonly next: string | null;
}

/** So many, `most`, of those after a place of the tenant's list, the newest first. */
export async function tellSandboxes(
  controlApi: Telling,
  tenantId: string,
  after: string = fromTheFirst,
  most: number = limits.toldSandboxes,
): Promise<Told> {
  const standing = await toldStanding(controlApi, tenantId);
  if (!standing) return { count: 0, next: null };
  const from = after.startsWith(fromTheFirst) ? undefined : decodeCursor(after);
  const rows = await controlApi.directory.list(tenantId, controlApi.nowMs(), most + 1, from);
  const page = rows.slice(0, most);
  for (let at = 0; at < page.length; at += limits.toldAtOnce) {
    await Promise.all(page.slice(at, at + limits.toldAtOnce).map(({ id }) => tell(controlApi, id, standing)));
  }
  const last = page.at(-1);
  return { count: page.length, next: last && rows.length > most ? encodeCursor(last) : null };
}

/** As D1 has it now: what is remembered of a plan may be what it was before. */
async function toldStanding(controlApi: Telling, tenantId: string): Promise<SandboxStanding | undefined> {
  const found = await controlApi.plans.tenant(tenantId);
  if (!found) return undefined;
  const all = limitsOf(planNamed(found.plan) ?? controlApi.plan, found.overrides);
  return { suspended: found.suspended, limits: limitsOfSandbox(controlApi, all) };
}

/** Twice, where it does not answer; then it goes on as it was, until it is told again. */
async function tell({ cluster, report }: Telling, id: string, standing: SandboxStanding): Promise<void> {
  await cluster(id)
    .setStanding(standing)
    .catch(() => cluster(id).setStanding(standing))
    .catch((error: unknown) => report(error, `what sandbox ${id} may do`));
}

/** The scheduled run, which may make so many calls. What goes wrong with one tenant is reported, and keeps no other. */
export async function tellTenants(controlApi: Telling): Promise<void> {
  const { plans, report } = controlApi;
  let left: number = limits.toldSandboxes;
  for (const { tenantId, after } of await plans.untold(limits.toldTenants)) {
    if (left <= 0) return;
    try {
      const { count, next } = await tellSandboxes(controlApi, tenantId, after, left);
      left -= count;
      await plans.told(tenantId, after, next);
    } catch (error) {
      report(error, `what sandboxes of tenant ${tenantId} may do`);
    }
  }
}
