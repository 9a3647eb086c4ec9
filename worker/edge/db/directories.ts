// The queries of the control API to D1, except idempotency keys.
import { type Audit, type AuditLog, auditLog } from "./audit.ts";
import { type ClassDirectory, classDirectory } from "./classes.ts";
import type { Database } from "./database.ts";
import { type Directory, directory } from "./directory.ts";
import { type IdentityDirectory, identityDirectory } from "./identity.ts";
import { type KeyDirectory, keyDirectory } from "./keys.ts";
import { type LessonDirectory, lessonDirectory } from "./lessons.ts";
import { type LtiDirectory, ltiDirectory } from "./lti.ts";
import { type MemberDirectory, memberDirectory } from "./members.ts";
import { type PeopleDirectory, peopleDirectory } from "./people.ts";
import { type PlanDirectory, planDirectory } from "./plans.ts";
import { type PublishableKeyDirectory, publishableKeyDirectory } from "./publishable-keys.ts";
import { type SecretDirectory, secretDirectory } from "./secrets.ts";
import { type SnapshotDirectory, snapshotDirectory } from "./snapshots.ts";
import { type TemplateDirectory, templateDirectory } from "./templates.ts";
import { type TenantDirectory, tenantDirectory } from "./tenants.ts";

/** The directories. With an audit context, their changes are recorded in the audit log. */
export interface Directories {
  readonly directory: Directory;
  readonly snapshots: SnapshotDirectory;
  readonly templates: TemplateDirectory;
  readonly plans: PlanDirectory;
  readonly keys: KeyDirectory;
  readonly publishableKeys: PublishableKeyDirectory;
  readonly people: PeopleDirectory;
  readonly members: MemberDirectory;
  readonly tenants: TenantDirectory;
  readonly lessons: LessonDirectory;
  readonly classes: ClassDirectory;
  readonly lti: LtiDirectory;
  readonly secrets: SecretDirectory;
  readonly identity: IdentityDirectory;
  readonly audit: AuditLog;
}

export function directories(db: Database, audit: Audit): Directories {
  return {
    directory: directory(db, audit),
    snapshots: snapshotDirectory(db, audit),
    templates: templateDirectory(db, audit),
    plans: planDirectory(db, audit),
    keys: keyDirectory(db, audit),
    publishableKeys: publishableKeyDirectory(db, audit),
    people: peopleDirectory(db, audit),
    members: memberDirectory(db, audit),
    tenants: tenantDirectory(db, audit),
    lessons: lessonDirectory(db, audit),
    classes: classDirectory(db, audit),
    lti: ltiDirectory(db, audit),
    secrets: secretDirectory(db),
    identity: identityDirectory(db, audit),
    audit: auditLog(db, audit),
  };
}
