// GET pods/{name}/scheduling: why the scheduler put a pod where it is, or nowhere.
import type { Clock } from "../../../shared/base/clock.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import type { OwnRead } from "../../api/api-server.ts";
import { explain } from "../../scheduler/explain.ts";
import { schedulerController } from "../../scheduler/controller.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import type { Client } from "../../registry/client.ts";
import type { Runtime } from "../../runtime/runtime.ts";

/** Without a scheduler there is nothing to read. */
export function schedulingRead(runtime: Runtime, client: Client, clock: Clock): OwnRead {
  return (namespace, name) => {
    const memory = runtime.memoryOf(schedulerController);
    if (!memory) return undefined;
    const pod = client.get(pods, namespace, name);
    if (!pod) throw ApiError.notFound(pods.groupResource, name);
    return explain(memory, client, pod, clock.nowMs());
  };
}
