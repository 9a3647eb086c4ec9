// A service whose process ends at one of its awaited calls.
import { controlApiApp } from "../../worker/edge/control-api/control-api.ts";
import type { ControlApiServer } from "../../worker/edge/control-api/server.ts";
import { keys } from "./service.ts";

/** Returns the service in a process that ends before or after its awaited call with the given number. Nothing runs afterwards. */
export function interruptedService(
  controlApi: ControlApiServer,
  at: number,
  when: "before" | "after",
): ControlApiServer {
  let step = 0;
  const cut = () => new Error("killed");
  const guarded = <T extends object>(target: T): T => {
    const all = Object.entries(target).map(([name, value]: [string, unknown]): [string, unknown] => {
      if (typeof value !== "function") return [name, value];
      const guard = async (...callArguments: unknown[]) => {
        const now = step++;
        if (now > at || (now === at && when === "before")) throw cut();
        const result: unknown = await Reflect.apply(value, target, callArguments);
        if (now === at) throw cut();
        return result;
      };
      return [name, guard];
    });
    return Object.assign({ ...target }, Object.fromEntries(all));
  };
  return {
    ...controlApi,
    auditing: (context) => {
      const all = controlApi.auditing(context);
      return { ...all, directory: guarded(all.directory), snapshots: guarded(all.snapshots) };
    },
    directory: guarded(controlApi.directory),
    snapshots: guarded(controlApi.snapshots),
    files: guarded(controlApi.files),
    repeats: guarded(controlApi.repeats),
    cluster: (id) => guarded(controlApi.cluster(id)),
    tenant: (id) => guarded(controlApi.tenant(id)),
    later: (work) => void work().catch(() => undefined),
    report: () => undefined,
  };
}

export function ask(
  controlApi: ControlApiServer,
  method: string,
  path: string,
  body?: unknown,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const headers = { authorization: `Bearer ${keys.ada}`, "content-type": "application/json", ...more };
  const text = body === undefined ? null : JSON.stringify(body);
  return Promise.resolve(
    controlApiApp.fetch(new Request(`http://localhost:8787${path}`, { method, headers, body: text }), { controlApi }),
  );
}
