// `kubectl set subject`: changes the users, groups and service accounts of a role binding.
import { type JsonObject, equalJson } from "../../../shared/schema/json-values.ts";
import type { CommandCall, Command } from "../command.ts";
import { type Flag, arrayFlag } from "../flag.ts";
import { listAt, textOf } from "../object.ts";
import { allFlag, select, selectorFlag } from "../resources/select.ts";
import { dryRunOf, writePrinter } from "../writes/dry-run.ts";
import { patchObject } from "../writes/send.ts";

export function setSubject(flags: readonly Flag[]): Command {
  return {
    name: "subject",
    use: "(-f FILENAME | TYPE NAME) [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none] [options]",
    short: "Update the user, group, or service account in a role binding or cluster role binding",
    completes: "resources",
    flags: [
      ...flags.filter(({ name }) => name !== allFlag.name),
      allFlag,
      selectorFlag,
      arrayFlag("user", "Usernames to bind to the role"),
      arrayFlag("group", "Groups to bind to the role"),
      arrayFlag("serviceaccount", "Service accounts to bind to the role"),
    ],
    run,
  };
}

async function run(call: CommandCall): Promise<void> {
  const { flags, args, streams } = call;
  const apiGroup = "rbac.authorization.k8s.io";
  const named = (flag: string, kind: string) => flags.list(flag).map((name): JsonObject => ({ apiGroup, kind, name }));
  const subjects: JsonObject[] = [...named("user", "User"), ...named("group", "Group")];
  for (const text of flags.list("serviceaccount")) {
    const [namespace = "", name = "", more] = text.split(":");
    if (!name || more !== undefined) throw new Error("serviceaccount must be <namespace>:<name>");
    subjects.push({ kind: "ServiceAccount", name, namespace });
  }
  if (subjects.length === 0) throw new Error("you must specify at least one value of user, group or serviceaccount");
  const dryRun = dryRunOf(flags);
  const print = writePrinter(call, "subjects updated", dryRun);
  const { infos } = await select(call, { args, allowsAll: flags.bool("all"), isDetached: flags.bool("local") });
  for (const info of infos) {
    if (!["RoleBinding", "ClusterRoleBinding"].includes(textOf(info.object.kind)))
      throw new Error("setting subjects is only supported for RoleBinding/ClusterRoleBinding");
    const before = listAt(info.object, "subjects");
    const after = [
      ...before,
      ...subjects.filter((subject) => !before.some((existing) => equalJson(subject, existing))),
    ];
    if (after.length === before.length) {
      streams.out(
        writePrinter(call, `info: ${info.mapping.resource} ${JSON.stringify(info.name)} was not changed`)(info.object),
      );
      continue;
    }
    info.object.subjects = after;
    const isLocal = flags.bool("local") || dryRun === "client";
    streams.out(
      print(isLocal ? info.object : await patchObject(call, info, { subjects: after }, { type: "merge", dryRun })),
    );
  }
}
