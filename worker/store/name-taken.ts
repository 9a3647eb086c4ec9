// The error of a creation whose key already exists. The caller turns it into an `ApiError`.

export class NameTaken extends Error {
  override name = "NameTaken";
}
