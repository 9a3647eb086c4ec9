// The careful run of an opened cluster, as its alarm performs it. Here every write is on disk at once.
import type { Runtime } from "../../worker/runtime/runtime.ts";

export function drainCarefully({ runtime }: { readonly runtime: Runtime }): void {
  while (runtime.nextCareful()) runtime.reconcileCarefully();
}
