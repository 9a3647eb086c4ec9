// What a write of something new finds where there is something already: no refusal yet, its writer says what it is.

export class NameTaken extends Error {
  override name = "NameTaken";
}
