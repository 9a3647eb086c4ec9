// Typing errors: names that are one edit away from a well-known one.

/** Shorter names are one edit away from too many others. */
const minCharacters = 5;

/** Reports whether a name is none of the well-known ones, but becomes one of them if a character is added, left out or replaced, or two are swapped. */
export function isMisspelled(name: string, wellKnown: Iterable<string>): boolean {
  let isOneEditAway = false;
  for (const known of wellKnown) {
    if (name === known) return false;
    isOneEditAway ||= known.length >= minCharacters && isOneEdit(name, known);
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
