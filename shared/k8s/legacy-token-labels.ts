// The labels of Secrets with service account tokens that do not expire.
export const lastUsedKey = "kubernetes.io/legacy-token-last-used";
export const invalidSinceKey = "kubernetes.io/legacy-token-invalid-since";
