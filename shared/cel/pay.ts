// Charges for work that the cost of a call does not cover: comparing equal trees, building long texts.

/** Charges work in units of CEL's cost: an item compared, or ten characters built. Throws if the evaluation exceeds its limit. */
export type Pay = (units: number) => void;

/** Charges nothing: for values that are known to be small. */
export const free: Pay = () => undefined;
