// What an opened cluster does first, as its alarm does it; here whatever is written is on disk at once.
import type { Runtime } from "../../worker/runtime/runtime.ts";

export function drainCarefully({ runtime }: { readonly runtime: Runtime }): void {
  while (runtime.nextCareful()) runtime.reconcileCarefully();
}
