package dev.sandbar.junit;

/** A request that the service refused. The status is 0 if it did not reach the service ("unreachable"), or got no answer ("cut_off"). */
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

  /** Reports whether the service may have carried out the request. */
  boolean mayHaveEffect() {
    if (status == 0) return !code.equals("unreachable");
    return status >= 500 || status == 409;
  }
}
