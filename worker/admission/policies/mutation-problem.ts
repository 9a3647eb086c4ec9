// Why a mutation could not be made: counts as the failure policy has it.
export class MutationProblem extends Error {}
