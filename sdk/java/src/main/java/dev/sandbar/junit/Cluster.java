package dev.sandbar.junit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;

/** A sandbox of a Sandbar service: made by the control API, used by the Kubernetes API. */
public final class Cluster implements CloseableResource, AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final Duration ABANDON_TIMEOUT = Duration.ofSeconds(10);

  /** The key of the label that each cluster has from its creation on. */
  private static final String LABEL_KEY = "sandbar-test";

  /** The pauses before each attempt to delete a cluster whose creation was cut off, because the service may still be creating it. */
  private static final List<Duration> ABANDON_PAUSES = List.of(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(5));

  private final URI service;
  private final String key;
  private final JsonNode answer;
  private final HttpClient client;
  private final AtomicBoolean isDeleted = new AtomicBoolean();
  private final Thread hook = new Thread(this::delete);

  private Cluster(URI service, String key, JsonNode answer) {
    this.service = service;
    this.key = key;
    this.answer = answer;
    this.client = ca().map(Cluster::clientTrusting).orElseGet(Cluster::controlClient);
    // Ctrl+C and SIGTERM end a JVM by its hooks, without the callbacks of extensions.
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Makes a cluster of the service that SANDBAR_URL and SANDBAR_API_KEY name. SANDBAR_CA_FILE names the authority of a service whose
   * certificate Java does not trust. The fields are those of POST /v1/sandboxes; SANDBAR_KUBERNETES_VERSION is the default of version.
   */
  public static Cluster create(ObjectNode fields, boolean await) {
    return create(URI.create(environment("SANDBAR_URL", "http://localhost:8787")), fields, await);
  }

  static Cluster create(URI service, ObjectNode fields, boolean await) {
    String key = environment("SANDBAR_API_KEY", "");
    URI address = service.resolve(await ? "/v1/sandboxes?wait=ready" : "/v1/sandboxes");
    String version = environment("SANDBAR_KUBERNETES_VERSION", "");
    boolean isDefined = fields.has("version") || fields.has("snapshot") || fields.has("template");
    ObjectNode body = fields.deepCopy();
    if (!version.isEmpty() && !isDefined) body.put("version", version);
    String label = UUID.randomUUID().toString();
    body.withObjectProperty("labels").put(LABEL_KEY, label);
    Thread abandon = new Thread(() -> abandon(service, key, label));
    // During the creation the id is unknown, so the label names the cluster.
    Runtime.getRuntime().addShutdownHook(abandon);
    try {
      return new Cluster(service, key, parse(send(controlClient(), "POST", address, key, body.toString())));
    } catch (SandbarException failed) {
      if (failed.mayHaveEffect()) abandon(service, key, label);
      throw failed;
    } finally {
      removeHook(abandon);
    }
  }

  private static void abandon(URI service, String key, String label) {
    String query = URLEncoder.encode(LABEL_KEY + "=" + label, StandardCharsets.UTF_8);
    URI address = service.resolve("/v1/sandboxes?label=" + query);
    for (Duration pause : ABANDON_PAUSES) {
      try {
        Thread.sleep(pause.toMillis());
        String text = send(controlClient(), "DELETE", address, key, null, ABANDON_TIMEOUT);
        if (!parse(text).path("deleted").isEmpty()) return;
      } catch (SandbarException refused) {
        // The next attempt may succeed; after the last one the cluster ends when its time is up.
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private static void removeHook(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException ending) {
      // The hook runs.
    }
  }

  public String id() {
    return answer.path("id").asText();
  }

  /** The address of the Kubernetes API. */
  public String server() {
    return answer.path("server").asText();
  }

  /** The administrator's token. */
  public String token() {
    return answer.path("token").asText();
  }

  /** The authority of the server's certificate in PEM; empty if it is a public one. */
  public Optional<String> ca() {
    return Optional.ofNullable(answer.get("ca")).map(JsonNode::asText);
  }

  /** The workloads that are not available, if the creation waited for them. */
  public JsonNode notReady() {
    return answer.path("notReady");
  }

  /** The kubeconfig of the administrator, for `Config.fromKubeconfig` and the like. */
  public String kubeconfig() {
    return send(controlClient(), "GET", service.resolve("/v1/sandboxes/" + id() + "/kubeconfig"), key, null);
  }

  /** Sends a request to the Kubernetes API as the administrator and returns the answer. The body is JSON, or null. */
  public JsonNode request(String method, String path, String body) {
    return request(method, path, body, token());
  }

  /** The same with another token. */
  public JsonNode request(String method, String path, String body, String token) {
    return parse(send(client, method, URI.create(server() + path), token, body));
  }

  /** Returns a token of another user. */
  public String createToken(String user, String... groups) {
    ObjectNode fields = JSON.createObjectNode().put("user", user);
    for (String group : groups) fields.withArray("groups").add(group);
    URI address = service.resolve("/v1/sandboxes/" + id() + "/tokens");
    return parse(send(controlClient(), "POST", address, key, fields.toString())).path("token").asText();
  }

  /** Deletes the cluster. Calls after a deletion do nothing. */
  @Override
  public void close() {
    delete();
    removeHook(hook);
  }

  private void delete() {
    if (!isDeleted.compareAndSet(false, true)) return;
    try {
      send(controlClient(), "DELETE", service.resolve("/v1/sandboxes/" + id()), key, null);
    } catch (SandbarException refused) {
      if (refused.status() == 404) return;
      // The hook tries again when the JVM ends.
      isDeleted.set(false);
      throw refused;
    }
  }

  static ObjectNode fieldsOf(String text) {
    if (parse(text) instanceof ObjectNode fields) return fields;
    throw new IllegalArgumentException("fields must be a JSON object, not " + text);
  }

  private static String environment(String name, String otherwise) {
    String value = System.getenv(name);
    return value == null || value.isEmpty() ? otherwise : value;
  }

  private static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException error) {
      throw new SandbarException(0, "unknown", "the answer is not JSON: " + text);
    }
  }

  private static String send(HttpClient client, String method, URI address, String token, String body) {
    return send(client, method, address, token, body, TIMEOUT);
  }

  private static String send(
      HttpClient client, String method, URI address, String token, String body, Duration timeout) {
    HttpRequest.BodyPublisher content =
        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body);
    HttpRequest.Builder request = HttpRequest.newBuilder(address).timeout(timeout).method(method, content);
    if (!token.isEmpty()) request.header("Authorization", "Bearer " + token);
    if (body != null) request.header("Content-Type", "application/json");
    try {
      HttpResponse<String> received = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      if (received.statusCode() < 300) return received.body();
      throw refusal(received.statusCode(), received.body());
    } catch (IOException error) {
      boolean isUnsent = error instanceof ConnectException || error instanceof SSLException;
      throw new SandbarException(0, isUnsent ? "unreachable" : "cut_off", address + " cannot be reached: " + error.getMessage());
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new SandbarException(0, "interrupted", "the thread was interrupted");
    }
  }

  /** The control API answers with an `error`, the Kubernetes API with a `Status`. */
  private static SandbarException refusal(int status, String text) {
    JsonNode body;
    try {
      body = JSON.readTree(text);
    } catch (JsonProcessingException error) {
      return new SandbarException(status, "unknown", text);
    }
    JsonNode error = body.has("error") ? body.get("error") : body;
    String code = error.has("reason") ? error.get("reason").asText() : error.path("code").asText("unknown");
    return new SandbarException(status, code, error.path("message").asText(text));
  }

  /** A client of the control API: trusts what Java trusts, or only the authorities of the file that SANDBAR_CA_FILE names. */
  private static HttpClient controlClient() {
    String file = environment("SANDBAR_CA_FILE", "");
    if (file.isEmpty()) return HttpClient.newHttpClient();
    try {
      return clientTrusting(Files.readString(Path.of(file)));
    } catch (IOException error) {
      throw new IllegalStateException("SANDBAR_CA_FILE: " + file + " cannot be read", error);
    }
  }

  private static HttpClient clientTrusting(String ca) {
    try {
      KeyStore authorities = KeyStore.getInstance(KeyStore.getDefaultType());
      authorities.load(null, null);
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      int count = 0;
      for (Certificate one : factory.generateCertificates(new ByteArrayInputStream(ca.getBytes(StandardCharsets.US_ASCII))))
        authorities.setCertificateEntry("authority-" + count++, one);
      TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(authorities);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return HttpClient.newBuilder().sslContext(context).build();
    } catch (GeneralSecurityException | IOException error) {
      throw new IllegalStateException("the authority cannot be read", error);
    }
  }
}
