// What every command of `kubectl rollout` asks first.
import type { CommandCall } from "../command.ts";

export function requireResource({ args, flags }: CommandCall): void {
  if (args.length === 0 && flags.list("filename").length === 0 && !flags.text("kustomize"))
    throw new Error("required resource not specified");
}
