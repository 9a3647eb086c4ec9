// The origin of sandboxes: the person or key that created them, or the run of a lesson.
import type { ListedSandbox } from "../../../../shared/contract/sandbox.ts";
import { keyIdLength } from "../../db/keys.ts";
import { ownerHash } from "../../mac.ts";
import type { SandboxRow } from "../../db/schema.ts";
import type { ControlApiServer } from "../server.ts";

type Origin = Pick<ListedSandbox, "owner" | "lesson">;

/** Reads the names that these rows need. Returns the origin of each. */
export async function originsOf(
  controlApi: Pick<ControlApiServer, "members" | "keys" | "lessons" | "nowMs">,
  tenantId: string,
  rows: readonly SandboxRow[],
): Promise<(row: SandboxRow) => Origin> {
  const isOwned = rows.some(({ owner }) => owner !== "");
  const [members, keys, runs] = await Promise.all([
    isOwned ? controlApi.members.list(tenantId) : [],
    isOwned ? controlApi.keys.list(tenantId, controlApi.nowMs()) : [],
    rows.length > 0
      ? controlApi.lessons.originsOf(
          tenantId,
          rows.map(({ id }) => id),
          controlApi.nowMs(),
        )
      : [],
  ]);
  const named = [
    ...members.map(({ personId, name }) => [ownerHash("person", personId), name] as const),
    ...keys.map(({ hash, name }) => [ownerHash("key", hash.slice(0, keyIdLength)), name] as const),
  ];
  const names = new Map(await Promise.all(named.map(async ([column, name]) => [await column, name] as const)));
  const lessons = new Map(
    runs.map(({ sandboxId, lesson, learner, class: of }) => [sandboxId, { name: lesson, learner, class: of }] as const),
  );
  return ({ id, owner }) => {
    const lesson = lessons.get(id);
    return { owner: names.get(owner) ?? "", ...(lesson ? { lesson } : {}) };
  };
}
