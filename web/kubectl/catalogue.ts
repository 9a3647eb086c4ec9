// All commands, in the order in which help lists them.
import type { Command } from "./command.ts";
import { apply } from "./commands/apply.ts";
import { create } from "./commands/create.ts";
import { deleteCommand } from "./commands/delete.ts";
import { describe } from "./commands/describe.ts";
import { edit } from "./commands/edit.ts";
import { expose } from "./commands/expose.ts";
import { get } from "./commands/get.ts";
import { annotate, label } from "./commands/label.ts";
import { patch, replace } from "./commands/patch.ts";
import { rollout } from "./commands/rollout.ts";
import { autoscale, scale } from "./commands/scale.ts";
import { set } from "./commands/set.ts";
import { taint } from "./commands/taint.ts";
import { wait } from "./commands/wait.ts";

export const commands: readonly Command[] = [create, expose, set, get, edit, deleteCommand, rollout, scale, autoscale, taint, describe, apply, patch, replace, wait, label, annotate];
