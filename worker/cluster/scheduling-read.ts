// GET pods/{name}/scheduling: why the scheduler put a pod where it is, or nowhere.
import type { Clock } from "../../shared/base/clock.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import type { OwnRead } from "../api/service.ts";
import { explain } from "../controllers/parts/scheduler/explain.ts";
import { schedulerController } from "../controllers/scheduler.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import type { Runtime } from "../runtime/runtime.ts";

/** The scheduler's own client knows what the scheduler remembers; without a scheduler there is nothing to read. */
export function schedulingRead(runtime: Runtime, clock: Clock): OwnRead {
  return (namespace, name) => {
    const client = runtime.clientOf(schedulerController.name);
    if (!client) return undefined;
    const pod = client.get(pods, namespace, name);
    if (!pod) throw ApiError.notFound(pods.groupResource, name);
    return explain(client, pod, clock.nowMs());
  };
}
