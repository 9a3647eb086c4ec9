// Clusters from state files in one process: which objects the clusters of a file share.
import { expect, test } from "vitest";
import { fileBaseOf, sourceCertificates } from "../../store/file-base-of.ts";

const rowsOf = (prefix: string) =>
  Array.from({ length: 9 }, (_, at) => ({
    ...{ resource: "configmaps", namespace: "a", name: `${prefix}${at}` },
    ...{ owners: [], indexValue: "" },
  }));
const rows = rowsOf("n");
const certificatesOf = (owner: string) => ({
  rootCA: `the root of ${owner}`,
  clientCA: `the clients of ${owner}`,
  frontProxyCA: `the proxy of ${owner}`,
});

test("S10: clusters of one file read their own certificates in objects and texts, in any order of reads", () => {
  for (const order of ["objects first", "texts first"] as const) {
    const bases = ["ada", "bob", "cyd"].map((owner) => ({ owner, base: fileBaseOf(rows, certificatesOf(owner)) }));
    for (const { owner, base } of bases) {
      for (const { revision, name } of base.entries()) {
        const first = order === "texts first" ? base.text(revision) : "";
        const object = JSON.stringify(base.object(revision));
        const text = first || base.text(revision);
        const hasCertificate = Number(name.slice(1)) % 3 === 0;
        for (const sharedText of [object, text, JSON.stringify(base.atHand(revision))]) {
          expect([owner, name, sharedText.includes(`<the root of ${owner}>`)]).toEqual([owner, name, hasCertificate]);
          for (const otherBase of bases)
            if (otherBase.owner !== owner) expect(sharedText).not.toContain(`of ${otherBase.owner}`);
          expect(sharedText).not.toContain(sourceCertificates.rootCA);
        }
      }
    }
  }
});

test("S10: an object without a certificate is cached once for all clusters of a file, one with a certificate for each", () => {
  const [first, second] = [fileBaseOf(rows, certificatesOf("ada")), fileBaseOf(rows, certificatesOf("bob"))];
  for (const { revision, name } of first.entries()) {
    const hasCertificate = Number(name.slice(1)) % 3 === 0;
    expect([name, first.object(revision) === second.object(revision)]).toEqual([name, !hasCertificate]);
  }
});

test("S10: clusters of two files with the same revisions read their own objects", () => {
  const bases = ["n", "m"].map((prefix) => ({ prefix, base: fileBaseOf(rowsOf(prefix), certificatesOf("ada")) }));
  for (const { prefix, base } of bases) {
    for (const { revision, name } of base.entries()) {
      expect([name.startsWith(prefix), base.object(revision).metadata.name]).toEqual([true, name]);
      expect(base.text(revision)).toContain(`"name":"${name}"`);
    }
  }
});
