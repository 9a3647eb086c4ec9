// Queries for the rotation of the service's secret: the secret of each sandbox's tokens, and the data that must still be moved.
import { writeUnaudited } from "./audit.ts";
import { and, asc, count, eq, gt, lte, max, ne } from "drizzle-orm";
import { lessonClasses } from "./learn/class-tables.ts";
import type { Database } from "./database.ts";
import type { SecretColumns } from "./directory.ts";
import { lessonRuns } from "./lesson-tables.ts";
import { type LtiKeyRow, ltiKeys } from "./lti-tables.ts";
import { type SandboxRow, sandboxes, secretMoves } from "./schema.ts";

/** The number of links of a kind, and the end of the last one. */
export interface LinksLeft {
  readonly count: number;
  readonly lastEndMs: number | undefined;
}

export interface SecretDirectory {
  /** Records the start of a move to a secret. Returns the time of the first start. */
  begin(secretId: string, atMs: number): Promise<number>;
  /** Reports whether data was ever moved between secrets. */
  hasMoved(): Promise<boolean>;
  /** Lists live sandboxes whose tokens are derived from another secret, in the order of their ids. */
  unmoved(secretId: string, nowMs: number, after: string, limit: number): Promise<SandboxRow[]>;
  countUnmoved(secretId: string, nowMs: number): Promise<number>;
  /** Returns false if the token was rotated concurrently, or the sandbox is gone. */
  moveSandbox(row: SandboxRow, facts: SecretColumns): Promise<boolean>;
  /** Finds a ready sandbox that was moved. The caller is not authenticated yet. */
  movedSandbox(id: string): Promise<Pick<SandboxRow, "anonymousAccess"> | undefined>;
  /** Lists the keys of LTI tools in the order of their ids. */
  toolKeys(after: string, limit: number): Promise<LtiKeyRow[]>;
  sealToolKey(kid: string, before: string, sealed: string): Promise<void>;
  /** Counts links of classes and learners that were created until a time and have not ended. */
  links(madeUntilMs: number, nowMs: number): Promise<{ readonly classes: LinksLeft; readonly runs: LinksLeft }>;
}

export function secretDirectory(db: Database): SecretDirectory {
  const isUnmoved = (secretId: string, nowMs: number) =>
    and(eq(sandboxes.state, "ready"), gt(sandboxes.expiresAtMs, nowMs), ne(sandboxes.secretId, secretId));
  return {
    begin: async (secretId, begunAtMs) => {
      await writeUnaudited(db, "bookkeeping", (write) =>
        write.insert(secretMoves).values({ secretId, begunAtMs }).onConflictDoNothing(),
      );
      const [row] = await db.select().from(secretMoves).where(eq(secretMoves.secretId, secretId));
      return row?.begunAtMs ?? begunAtMs;
    },
    hasMoved: async () => (await db.select().from(secretMoves).limit(1)).length > 0,
    unmoved: (secretId, nowMs, after, limit) =>
      db
        .select()
        .from(sandboxes)
        .where(and(isUnmoved(secretId, nowMs), gt(sandboxes.id, after)))
        .orderBy(asc(sandboxes.id))
        .limit(limit),
    countUnmoved: (secretId, nowMs) => db.$count(sandboxes, isUnmoved(secretId, nowMs)),
    moveSandbox: async ({ id, tenantId, tokenVersion }, facts) => {
      const isSame = and(
        eq(sandboxes.id, id),
        eq(sandboxes.tenantId, tenantId),
        eq(sandboxes.tokenVersion, tokenVersion),
      );
      return (
        (
          await writeUnaudited(db, "bookkeeping", (write) =>
            write.update(sandboxes).set(facts).where(isSame).returning({ id: sandboxes.id }),
          )
        ).length === 1
      );
    },
    movedSandbox: async (id) => {
      const isMoved = and(eq(sandboxes.id, id), eq(sandboxes.state, "ready"), ne(sandboxes.secretId, ""));
      return (await db.select({ anonymousAccess: sandboxes.anonymousAccess }).from(sandboxes).where(isMoved))[0];
    },
    toolKeys: (after, limit) =>
      db.select().from(ltiKeys).where(gt(ltiKeys.kid, after)).orderBy(asc(ltiKeys.kid)).limit(limit),
    sealToolKey: async (kid, before, sealed) => {
      await writeUnaudited(db, "bookkeeping", (write) =>
        write
          .update(ltiKeys)
          .set({ sealed })
          .where(and(eq(ltiKeys.kid, kid), eq(ltiKeys.sealed, before))),
      );
    },
    links: async (madeUntilMs, nowMs) => {
      const left = async (table: typeof lessonClasses | typeof lessonRuns): Promise<LinksLeft> => {
        const isLeft = and(lte(table.createdAtMs, madeUntilMs), gt(table.expiresAtMs, nowMs));
        const [row] = await db
          .select({ count: count(), last: max(table.expiresAtMs) })
          .from(table)
          .where(isLeft);
        return { count: row?.count ?? 0, lastEndMs: row?.last ?? undefined };
      };
      return { classes: await left(lessonClasses), runs: await left(lessonRuns) };
    },
  };
}
