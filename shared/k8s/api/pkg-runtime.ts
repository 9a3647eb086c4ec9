// Generated from shared/schema/facts by scripts/generate-types.ts: do not edit.
// Shapes mirror the Go structs: a struct that is not a pointer is always present after decoding, a required list too.

export interface TypeMeta {
  apiVersion?: string;
  kind?: string;
}

export interface Unknown {
  apiVersion?: string;
  kind?: string;
  "-": string;
}
