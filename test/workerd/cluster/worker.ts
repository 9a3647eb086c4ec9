// The deployed Worker, with clusters that count their constructions and accept failing controllers.
import { handle } from "../../../worker/edge/handler.ts";
import type { ContainerRecord } from "../../../worker/cluster/runs/timeline.ts";
import { ClusterObject as RealClusterObject } from "../../../worker/cluster/object.ts";
import type { ControllerSettings } from "../../../worker/cluster/open.ts";
import type { Env } from "../../../worker/env.ts";
import type { Controller } from "../../../worker/runtime/controller.ts";

export { TenantObject } from "../../../worker/tenant/object.ts";

interface Probe {
  /** How often each object was built, by its id: reading it does not wake the object. */
  readonly builds: Map<string, number>;
  /** How often each object set its alarm. */
  readonly alarmsSet: Map<string, number>;
  /** Put beside the sandbox's own controllers from the next building on. */
  controllers: (ctx: DurableObjectState) => readonly Controller[];
}

// The tests of a file and the Worker that they run share one global scope.
const scope = globalThis as { sandbarProbe?: Probe };

export function probe(): Probe {
  scope.sandbarProbe ??= { builds: new Map(), alarmsSet: new Map(), controllers: () => [] };
  return scope.sandbarProbe;
}

export class ClusterObject extends RealClusterObject {
  constructor(ctx: DurableObjectState, env: Env) {
    const id = ctx.id.toString();
    const setAlarm = ctx.storage.setAlarm.bind(ctx.storage);
    ctx.storage.setAlarm = (time) => {
      raise(probe().alarmsSet, id);
      return setAlarm(time);
    };
    super(ctx, env);
    raise(probe().builds, id);
  }

  protected override controllers(record: ContainerRecord, settings: ControllerSettings): readonly Controller[] {
    return [...super.controllers(record, settings), ...probe().controllers(this.ctx)];
  }
}

// The platform reads the default export.
export default { fetch: (request: Request, env: Env) => handle(request, env) };

function raise(counts: Map<string, number>, id: string): void {
  counts.set(id, (counts.get(id) ?? 0) + 1);
}
