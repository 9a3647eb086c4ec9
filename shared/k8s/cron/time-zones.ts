// Which names are time zones of the IANA database.

/** Whether Go's `time.LoadLocation` knows it; names of places count in their own case only, where that can be told. */
export function knownTimeZone(name: string): boolean {
  if (name === "" || name === "UTC" || name === "Local") return true;
  // What the platform takes beside names: offsets.
  if (/^[+-]/.test(name)) return false;
  try {
    const canonical = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
    return canonical.toLowerCase() !== name.toLowerCase() || canonical === name;
  } catch {
    return false;
  }
}
