package dev.sandbar.junit;

/** A request that the service refused, or that did not reach it: then the status is 0. */
public final class SandbarException extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final int status;
  private final String code;

  SandbarException(int status, String code, String message) {
    super(message + " (" + code + ")");
    this.status = status;
    this.code = code;
  }

  public int status() {
    return status;
  }

  /** The code for programs: those of the service's OpenAPI document. */
  public String code() {
    return code;
  }
}
