// Schemas of cert-manager's objects, with the fields that the controller reads.
import * as z from "zod";
import type { KubeObject } from "../../../../shared/k8s/meta.ts";

export const version = "cert-manager.io/v1";

const issuerSpec = z.object({
  selfSigned: z.object({}).optional(),
  ca: z.object({ secretName: z.string() }).optional(),
});
export type IssuerSpec = z.infer<typeof issuerSpec>;

const certificateSpec = z.object({
  secretName: z.string().min(1),
  issuerRef: z.object({ name: z.string(), kind: z.string().default("Issuer"), group: z.string().optional() }),
  commonName: z.string().optional(),
  dnsNames: z.array(z.string()).max(100).default([]),
  isCA: z.boolean().default(false),
  duration: z.string().optional(),
  usages: z.array(z.string()).optional(),
});
export type CertificateSpec = z.infer<typeof certificateSpec>;

export interface Condition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

/** An object of one of cert-manager's kinds. */
export type Managed = KubeObject & {
  readonly spec?: unknown;
  readonly status?: { readonly conditions?: readonly Condition[]; readonly revision?: number };
};

export function issuerSpecOf(object: KubeObject): IssuerSpec | undefined {
  return issuerSpec.safeParse((object as Managed).spec).data;
}

export function certificateSpecOf(object: KubeObject): CertificateSpec | undefined {
  return certificateSpec.safeParse((object as Managed).spec).data;
}

export function isReady(object: KubeObject | undefined): boolean {
  const managed: Managed | undefined = object;
  return managed?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}
