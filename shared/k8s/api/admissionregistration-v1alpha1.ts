// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.
import type { MatchCondition as MatchCondition_admissionregistration_v1, OperationType as OperationType_admissionregistration_v1, ReinvocationPolicyType as ReinvocationPolicyType_admissionregistration_v1, ScopeType as ScopeType_admissionregistration_v1 } from "./admissionregistration-v1.ts";
import type { Condition as Condition_meta_v1, LabelSelector as LabelSelector_meta_v1, ListMeta as ListMeta_meta_v1, ObjectMeta as ObjectMeta_meta_v1 } from "./meta-v1.ts";

export type FailurePolicyType = "Fail" | "Ignore";

export type MatchPolicyType = "Equivalent" | "Exact";

export type ParameterNotFoundActionType = "Allow" | "Deny";

export type PatchType = "ApplyConfiguration" | "JSONPatch";

export type ValidationAction = "Audit" | "Deny" | "Warn";

export interface ApplyConfiguration {
  expression?: string;
}

export interface AuditAnnotation {
  key: string;
  valueExpression: string;
}

export interface ExpressionWarning {
  fieldRef: string;
  warning: string;
}

export interface JSONPatch {
  expression?: string;
}

export interface MatchResources {
  namespaceSelector?: LabelSelector_meta_v1;
  objectSelector?: LabelSelector_meta_v1;
  resourceRules?: NamedRuleWithOperations[];
  excludeResourceRules?: NamedRuleWithOperations[];
  matchPolicy?: MatchPolicyType;
}

export interface MutatingAdmissionPolicy {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  spec: MutatingAdmissionPolicySpec;
}

export interface MutatingAdmissionPolicyBinding {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  spec: MutatingAdmissionPolicyBindingSpec;
}

export interface MutatingAdmissionPolicyBindingList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: MutatingAdmissionPolicyBinding[];
}

export interface MutatingAdmissionPolicyBindingSpec {
  policyName?: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
}

export interface MutatingAdmissionPolicyList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: MutatingAdmissionPolicy[];
}

export interface MutatingAdmissionPolicySpec {
  paramKind?: ParamKind;
  matchConstraints?: MatchResources;
  variables?: Variable[];
  mutations?: Mutation[];
  failurePolicy?: FailurePolicyType;
  matchConditions?: MatchCondition_admissionregistration_v1[];
  reinvocationPolicy?: ReinvocationPolicyType_admissionregistration_v1;
}

export interface Mutation {
  patchType: PatchType;
  applyConfiguration?: ApplyConfiguration;
  jsonPatch?: JSONPatch;
}

export interface NamedRuleWithOperations {
  resourceNames?: string[];
  operations?: OperationType_admissionregistration_v1[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: ScopeType_admissionregistration_v1;
}

export interface ParamKind {
  apiVersion?: string;
  kind?: string;
}

export interface ParamRef {
  name?: string;
  namespace?: string;
  selector?: LabelSelector_meta_v1;
  parameterNotFoundAction?: ParameterNotFoundActionType;
}

export interface TypeChecking {
  expressionWarnings?: ExpressionWarning[];
}

export interface ValidatingAdmissionPolicy {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  spec: ValidatingAdmissionPolicySpec;
  status: ValidatingAdmissionPolicyStatus;
}

export interface ValidatingAdmissionPolicyBinding {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta_meta_v1;
  spec: ValidatingAdmissionPolicyBindingSpec;
}

export interface ValidatingAdmissionPolicyBindingList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: ValidatingAdmissionPolicyBinding[];
}

export interface ValidatingAdmissionPolicyBindingSpec {
  policyName?: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
  validationActions?: ValidationAction[];
}

export interface ValidatingAdmissionPolicyList {
  apiVersion: string;
  kind: string;
  metadata: ListMeta_meta_v1;
  items: ValidatingAdmissionPolicy[];
}

export interface ValidatingAdmissionPolicySpec {
  paramKind?: ParamKind;
  matchConstraints?: MatchResources;
  validations?: Validation[];
  failurePolicy?: FailurePolicyType;
  auditAnnotations?: AuditAnnotation[];
  matchConditions?: MatchCondition_admissionregistration_v1[];
  variables?: Variable[];
}

export interface ValidatingAdmissionPolicyStatus {
  observedGeneration?: number;
  typeChecking?: TypeChecking;
  conditions?: Condition_meta_v1[];
}

export interface Validation {
  expression: string;
  message?: string;
  reason?: string;
  messageExpression?: string;
}

export interface Variable {
  name: string;
  expression: string;
}
