// Runs the hooks of a release.
import { asError } from "../../../../kubectl/errors.ts";
import type { Hook } from "../chart/manifests.ts";
import { buildResources, createResources, deleteResources } from "../release/resources.ts";
import { type Release, timestamp } from "../release/release.ts";
import { hookLogs, waitForHook, waitUntilGone } from "../release/wait.ts";
import { compareText } from "../template/values.ts";
import { type Context, waiterOf } from "./context.ts";

const defaultPolicies = ["before-hook-creation"];

/** Runs the hooks of an event in the order of their weights. Throws if one fails. */
export async function runHooks(context: Context, release: Release, event: string, timeoutMs: number): Promise<void> {
  const { clock } = context.surroundings;
  const hooks = release.hooks
    .filter(({ events }) => events.includes(event))
    .sort((a, b) => (a.weight ?? 0) - (b.weight ?? 0) || compareText(a.name, b.name));
  for (const [at, hook] of hooks.entries()) {
    await deleteByPolicy(context, release, hook, "before-hook-creation", timeoutMs);
    const resources = await buildResources(context.cluster, hook.manifest, release.namespace).catch(
      (error: unknown) => {
        throw new Error(`unable to build kubernetes object for ${event} hook ${hook.path}: ${asError(error).message}`);
      },
    );
    hook.last_run = { started_at: timestamp(clock.nowMs()), completed_at: "", phase: "Running" };
    await record(context, release);
    const end = (phase: string) => {
      hook.last_run = { ...hook.last_run, completed_at: timestamp(clock.nowMs()), phase };
    };
    try {
      await createResources(context.cluster, resources);
    } catch (error) {
      end("Failed");
      throw new Error(`warning: Hook ${event} ${hook.path} failed: ${asError(error).message}`);
    }
    try {
      await waitForHook(waiterOf(context, timeoutMs), resources);
    } catch (error) {
      end("Failed");
      await printLogs(context, release, hook, "hook-failed");
      await deleteByPolicy(context, release, hook, "hook-failed", timeoutMs);
      for (const earlier of hooks.slice(0, at))
        await deleteByPolicy(context, release, earlier, "hook-succeeded", timeoutMs);
      throw error;
    }
    end("Succeeded");
  }
  for (const hook of hooks.reverse()) {
    await printLogs(context, release, hook, "hook-succeeded");
    await deleteByPolicy(context, release, hook, "hook-succeeded", timeoutMs);
  }
}

/** Stores the release; a failure does not stop the hooks. */
async function record(context: Context, release: Release): Promise<void> {
  await context.storage.update(release).catch(() => undefined);
}

async function deleteByPolicy(
  context: Context,
  release: Release,
  hook: Hook,
  policy: string,
  timeoutMs: number,
): Promise<void> {
  if (hook.kind === "CustomResourceDefinition") return;
  if (!(hook.delete_policies ?? defaultPolicies).includes(policy)) return;
  const resources = await buildResources(context.cluster, hook.manifest, release.namespace).catch((error: unknown) => {
    throw new Error(`unable to build kubernetes object for deleting hook ${hook.path}: ${asError(error).message}`);
  });
  const errors = await deleteResources(context.cluster, resources);
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("; "));
  await waitUntilGone(waiterOf(context, timeoutMs), resources);
}

async function printLogs(context: Context, release: Release, hook: Hook, policy: string): Promise<void> {
  if (!hook.output_log_policies?.includes(policy)) return;
  for (const resource of await buildResources(context.cluster, hook.manifest, release.namespace))
    context.out(await hookLogs(context.cluster, resource));
}
