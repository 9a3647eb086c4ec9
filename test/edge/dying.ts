// A service that dies at one of the things that it waits for.
import { controlApi } from "../../worker/edge/control-api/control-api.ts";
import type { ControlApiServer } from "../../worker/edge/control-api/service.ts";
import { keys } from "./service.ts";

/** The same service in a process that dies at one of the things it waits for: nothing of it happens afterwards. */
export function dying(service: ControlApiServer, at: number, when: "before" | "after"): ControlApiServer {
  let step = 0;
  const cut = () => new Error("killed");
  const guarded = <T extends object>(target: T): T => {
    const all = Object.entries(target).map(([name, value]: [string, unknown]): [string, unknown] => {
      if (typeof value !== "function") return [name, value];
      const guard = async (...given: unknown[]) => {
        const now = step++;
        if (now > at || (now === at && when === "before")) throw cut();
        const result: unknown = await Reflect.apply(value, target, given);
        if (now === at) throw cut();
        return result;
      };
      return [name, guard];
    });
    return Object.assign({ ...target }, Object.fromEntries(all));
  };
  return {
    ...service,
    noting: (noted) => {
      const all = service.noting(noted);
      return { ...all, directory: guarded(all.directory), snapshots: guarded(all.snapshots) };
    },
    directory: guarded(service.directory),
    snapshots: guarded(service.snapshots),
    files: guarded(service.files),
    cluster: (id) => guarded(service.cluster(id)),
    tenant: (id) => guarded(service.tenant(id)),
    later: (work) => void work().catch(() => undefined),
    report: () => undefined,
  };
}

export function ask(service: ControlApiServer, method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${keys.ada}`, "content-type": "application/json" };
  const text = body === undefined ? null : JSON.stringify(body);
  return Promise.resolve(
    controlApi.fetch(new Request(`http://localhost:8787${path}`, { method, headers, body: text }), { service }),
  );
}
