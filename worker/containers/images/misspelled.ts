// Detects misspelled names: those that are one edit away from a well-known name.

/** The minimum length of a well-known name. Shorter names are one edit away from too many others. */
const minCharacters = 5;

/** Reports whether a name is unknown, but becomes a well-known one if a character is added, removed or replaced, or two are swapped. */
export function isMisspelled(name: string, wellKnown: Iterable<string>): boolean {
  let isOneEditAway = false;
  for (const knownName of wellKnown) {
    if (name === knownName) return false;
    isOneEditAway ||= knownName.length >= minCharacters && isOneEdit(name, knownName);
  }
  return isOneEditAway;
}

function isOneEdit(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  if (restA.slice(1) === restB || restA === restB.slice(1) || restA.slice(1) === restB.slice(1)) return true;
  return restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
}
