// A base from a file for tests of the store: its revisions have gaps, and the log starts later.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { StateCertificates } from "../../shared/state/format.ts";
import { checkedLayout } from "../../shared/state/read-state.ts";
import { writeStateFile } from "../../shared/state/write-state.ts";
import { fileBase } from "../../worker/cluster/base/file-base.ts";
import type { Base } from "../../worker/store/base.ts";
import { readFile, writeFile } from "../../worker/store/file-rows.ts";
import type { IndexedRow } from "../../worker/store/index-by-owner.ts";
import { nodeSql } from "../sqlite.ts";

export const sourceCertificates = { rootCA: "source root", clientCA: "source clients", frontProxyCA: "source proxy" };
export const ownCertificates = { rootCA: "the root of a fork", clientCA: "its clients", frontProxyCA: "its proxy" };

/** Returns a base like `baseOf`. Every third object contains a certificate, which is replaced by the base's own. */
export function fileBaseOf(rows: readonly IndexedRow[], certificates: StateCertificates = ownCertificates): Base {
  const objects = rows.map((row, at) => {
    const { namespace, name } = row;
    // Each object has an even number of other revisions before it.
    const revision = 3 * at + 3;
    const metadata = { namespace, name, resourceVersion: String(revision) };
    const data = at % 3 === 0 ? { v: "base", ca: `<${sourceCertificates.rootCA}>` } : { v: "base" };
    const object: KubeObject & { data: unknown } = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
    return { ...row, revision, text: JSON.stringify(object) };
  });
  const meta = { settings: {}, certificates: sourceCertificates, rows: [] };
  const revision = 3 * rows.length + 4;
  const file = writeStateFile(objects, { revision, madeMs: 0, meta });
  const sql = nodeSql();
  writeFile(sql, file);
  const parameters = { file: checkedLayout(file), revision: revision + 4, certificates };
  return fileBase(parameters, (from, to) => readFile(sql, from, to));
}
