// What a version of the fresh cluster's base is: a file in `versions`.

/** A line is an object (see template.ts). The first `bare` lines are a base without the pods of kube-system. */
export interface BaseVersion {
  readonly bare: number;
  readonly lines: readonly string[];
}
