// The certificate authority of all clusters of one run: made once, so that equal clusters are equal.
import { authorityOf, type KeptAuthority, makeAuthority } from "../worker/cluster/certificates/authority.ts";

let keptAuthority: KeptAuthority | undefined;

export const testAuthority = authorityOf(() => (keptAuthority ??= makeAuthority(Date.parse("2026-01-01T00:00:00Z"))));
