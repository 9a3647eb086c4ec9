// What a version of the fresh cluster's base is: a file in `versions`.

/**
 * A line is an object (see template.ts). The first `bare` lines are a base whose kube-system has no pods but those of CoreDNS; the first
 * `empty` lines are a base without CoreDNS.
 */
export interface BaseVersion {
  readonly empty?: number;
  readonly bare: number;
  readonly lines: readonly string[];
}
