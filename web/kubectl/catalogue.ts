// All commands, in the order in which help lists them.
import type { Command } from "./command.ts";
import { apiResources, apiVersions, clusterInfo, version } from "./commands/api.ts";
import { apply } from "./commands/apply.ts";
import { auth } from "./commands/auth.ts";
import { certificate } from "./commands/certificate.ts";
import { config } from "./commands/config.ts";
import { cp } from "./commands/cp.ts";
import { create } from "./commands/create.ts";
import { debug } from "./commands/debug.ts";
import { deleteCommand } from "./commands/delete.ts";
import { describe } from "./commands/describe.ts";
import { diff, kustomize } from "./commands/diff.ts";
import { cordon, drain, uncordon } from "./commands/drain.ts";
import { edit } from "./commands/edit.ts";
import { events } from "./commands/events.ts";
import { attach, exec } from "./commands/exec.ts";
import { explain } from "./commands/explain.ts";
import { expose } from "./commands/expose.ts";
import { get } from "./commands/get.ts";
import { annotate, label } from "./commands/label.ts";
import { logs } from "./commands/logs.ts";
import { patch, replace } from "./commands/patch.ts";
import { portForward } from "./commands/port-forward.ts";
import { proxy } from "./commands/proxy.ts";
import { rollout } from "./commands/rollout.ts";
import { run } from "./commands/run.ts";
import { autoscale, scale } from "./commands/scale.ts";
import { set } from "./commands/set.ts";
import { taint } from "./commands/taint.ts";
import { top } from "./commands/top.ts";
import { wait } from "./commands/wait.ts";

export const commands: readonly Command[] = [
  ...[create, expose, run, set],
  ...[explain, get, edit, deleteCommand],
  ...[rollout, scale, autoscale],
  ...[certificate, clusterInfo, top, cordon, uncordon, drain, taint],
  ...[describe, logs, attach, exec, portForward, proxy, cp, auth, debug, events],
  ...[diff, apply, patch, replace, wait, kustomize],
  ...[label, annotate],
  ...[apiResources, apiVersions, config, version],
];
