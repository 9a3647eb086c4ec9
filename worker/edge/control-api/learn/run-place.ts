// The identity of a run of a lesson.
export interface RunPlace {
  readonly tenantId: string;
  readonly lesson: string;
  readonly run: string;
}
