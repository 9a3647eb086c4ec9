// Which run of a lesson is meant.
export interface RunPlace {
  readonly tenantId: string;
  readonly lesson: string;
  readonly run: string;
}
