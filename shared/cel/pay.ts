// Pays for work that the cost of a call does not tell: comparing equal trees, building long texts.

/** Charges work in units of CEL's cost: an item compared, or ten characters built. Throws if the evaluation may cost no more. */
export type Pay = (units: number) => void;

/** Pays nothing: for values that are known to be small. */
export const free: Pay = () => undefined;
