// Ports as Services, Endpoints and EndpointSlices name them.
import { type FieldError, type FieldPath, invalid, notSupported, required } from "../../../shared/k8s/field.ts";

export const protocols: readonly string[] = ["SCTP", "TCP", "UDP"];

export function validateProtocol(protocol: string | undefined, path: FieldPath): FieldError[] {
  if (!protocol) return [required(path)];
  return protocols.includes(protocol) ? [] : [notSupported(path, protocol, protocols)];
}

/** One error for each message of a check of `shared/k8s/names.ts`. */
export function checked(messages: readonly string[], value: unknown, path: FieldPath): FieldError[] {
  return messages.map((message) => invalid(path, value, message));
}
