// The audit log's bounds.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import type { AuditEvent } from "../../shared/k8s/audit.ts";
import { AuditLog } from "../../worker/store/audit-log.ts";
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

test("it keeps the last events, in order, and finds them after it is opened again", () => {
  const { sql, log } = fixture();
  for (let at = 0; at < limits.auditEvents; at++) log.keep(event(`a${at}`));
  const again = new AuditLog(sql);
  again.keep(event("last"));
  const ids = again.list().map(({ auditID }) => auditID);
  expect([ids.length, ids[0], ids.at(-1)]).toEqual([limits.auditEvents, "a1", "last"]);
});

test("it keeps no more characters than it may, and nothing that is too long alone", () => {
  const { log } = fixture();
  const long = "x".repeat(limits.auditBytes / 4);
  for (const id of ["a", "b", "c", "d", "e"]) log.keep(event(id, long));
  log.keep(event("f", "x".repeat(limits.auditBytes)));
  expect(log.list().map(({ auditID }) => auditID)).toEqual(["c", "d", "e"]);
});

test("R7: an event costs one row", () => {
  const { sql, log } = fixture();
  log.keep(event("a"));
  const before = sql.rowsWritten();
  log.keep(event("b"));
  expect(sql.rowsWritten() - before).toBe(1);
});
