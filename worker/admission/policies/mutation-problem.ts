// The error of a mutation that cannot be applied. The failure policy decides its effect.
export class MutationProblem extends Error {}
