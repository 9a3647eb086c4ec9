// Why tests beyond conformance fail that do, where that is known: by what is in their names.

export const causes: readonly (readonly [names: RegExp, cause: string])[] = [];

export function causeOf(name: string): string {
  return causes.find(([names]) => names.test(name))?.[1] ?? "not looked into";
}
