// The bounds of the audit log.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import type { AuditEvent } from "../../shared/k8s/audit/event.ts";
import { AuditLog } from "../../worker/store/audit-log.ts";
import { ApiError } from "../../shared/k8s/status.ts";
import { createTables } from "../../worker/store/tables.ts";
import { nodeSql } from "../sqlite.ts";

function event(auditID: string, text = ""): AuditEvent {
  return {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "Metadata",
    auditID,
    stage: "ResponseComplete",
    requestURI: "/",
    verb: "create",
    user: { username: "a" },
    responseStatus: {},
    requestReceivedTimestamp: "",
    stageTimestamp: "",
    annotations: { text },
  };
}

function fixture() {
  const sql = nodeSql();
  createTables(sql);
  return { sql, log: new AuditLog(sql) };
}

test("R7: the newest events are stored in order, also after the store is opened again", () => {
  const { sql, log } = fixture();
  for (let at = 0; at < limits.auditEvents; at++) log.append(event(`a${at}`));
  const again = new AuditLog(sql);
  again.append(event("last"));
  const ids = again.list().map(({ auditID }) => auditID);
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([limits.auditEvents, "a1", "last"]);
});

test("R7: stays within its bound of characters, and drops an event that alone exceeds it", () => {
  const { log } = fixture();
  const long = "x".repeat(limits.auditBytes / 4);
  for (const id of ["a", "b", "c", "d", "e"]) log.append(event(id, long));
  log.append(event("f", "x".repeat(limits.auditBytes)));
  expect(log.list().map(({ auditID }) => auditID)).toEqual(["c", "d", "e"]);
});

test("R7: an event costs one row", () => {
  const { sql, log } = fixture();
  log.append(event("a"));
  const before = sql.rowsWritten();
  log.append(event("b"));
  expect(sql.rowsWritten() - before).toBe(1);
});

test("R7: an event on a full disk is dropped without an error, and the next one is added after the last stored one", () => {
  const { sql } = fixture();
  const refused: Error[] = [];
  const log = new AuditLog({
    ...sql,
    run: (query, ...params) => {
      const error = refused.pop();
      if (error) throw error;
      sql.run(query, ...params);
    },
  });
  log.append(event("a"));
  refused.push(ApiError.insufficientStorage());
  log.append(event("b"));
  log.append(event("c"));
  expect(log.list().map(({ auditID }) => auditID)).toEqual(["a", "c"]);
  expect(sql.all("SELECT id FROM audit")).toEqual([{ id: 1 }, { id: 2 }]);
  refused.push(new Error("a bug"));
  expect(() => log.append(event("d"))).toThrow("a bug");
});

test("R7: an event of exactly the bound is stored and replaces all others", () => {
  const { log } = fixture();
  const around = JSON.stringify(event("b")).length;
  log.append(event("a"));
  log.append(event("b", "x".repeat(limits.auditBytes - around)));
  expect(log.list().map(({ auditID }) => auditID)).toEqual(["b"]);
  log.append(event("c", "x".repeat(limits.auditBytes - around + 1)));
  expect(log.list().map(({ auditID }) => auditID)).toEqual(["b"]);
});
