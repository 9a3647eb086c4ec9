// The names of time zones of the IANA database.

/** Reports whether Go's `time.LoadLocation` knows the name. Names of places are case-sensitive if the platform can tell. */
export function knownTimeZone(name: string): boolean {
  if (name === "" || name === "UTC" || name === "Local") return true;
  // The platform also accepts offsets.
  if (/^[+-]/.test(name)) return false;
  try {
    const canonical = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
    return canonical.toLowerCase() !== name.toLowerCase() || canonical === name;
  } catch {
    return false;
  }
}
