package dev.sandbar.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;

/** The extension beside a service that SANDBAR_URL and SANDBAR_API_KEY name. */
class SandbarExtensionTest {
  private static final String CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
  private static final List<Cluster> SEEN = new CopyOnWriteArrayList<>();

  @Test
  @SandbarTest(nodes = 0)
  void requestsGoOverTlsWithTheAuthorityOfTheAnswer(Cluster cluster) {
    assertTrue(cluster.server().startsWith("https://") && cluster.ca().isPresent());
    cluster.request("POST", CONFIG_MAPS, "{\"metadata\":{\"name\":\"mine\"}}");
    assertEquals("mine", cluster.request("GET", CONFIG_MAPS + "/mine", null).path("metadata").path("name").asText());
    String token = cluster.createToken("ada", "readers");
    SandbarException refused =
        assertThrows(SandbarException.class, () -> cluster.request("GET", CONFIG_MAPS, null, token));
    assertEquals(List.of(403, "Forbidden"), List.of(refused.status(), refused.code()));
    assertTrue(cluster.kubeconfig().contains(cluster.server()));
  }

  @Test
  @SandbarTest(
      nodes = 1,
      await = true,
      manifests =
          """
          apiVersion: apps/v1
          kind: Deployment
          metadata: { name: web }
          spec:
            selector: { matchLabels: { app: web } }
            template:
              metadata: { labels: { app: web } }
              spec: { containers: [{ name: web, image: nginx }] }
          """)
  void annotationSaysHowItBegins(Cluster cluster) {
    String path = "/apis/apps/v1/namespaces/default/deployments/web";
    assertEquals(1, cluster.request("GET", path, null).path("status").path("availableReplicas").asInt());
  }

  @Test
  void eachTestHasItsOwnWhichIsDeletedAlsoAfterAFailure() {
    SEEN.clear();
    EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(Inner.class))
        .execute()
        .testEvents()
        .assertStatistics(statistics -> statistics.succeeded(1).failed(1));
    assertEquals(2, SEEN.size());
    assertNotEquals(SEEN.get(0).id(), SEEN.get(1).id());
    for (Cluster one : SEEN) {
      assertEquals(404, assertThrows(SandbarException.class, one::kubeconfig).status());
    }
  }

  @Test
  void refusalSaysWhatIsWrong() {
    SandbarException refused =
        assertThrows(SandbarException.class, () -> Cluster.create(Cluster.fieldsOf("{\"nodes\":-1}"), false));
    assertEquals("nodes: must be at least 0 (invalid_field)", refused.getMessage());
  }

  @SandbarTest(nodes = 0)
  static class Inner {
    @Test
    void succeeds(Cluster cluster, Cluster again) {
      assertSame(cluster, again);
      SEEN.add(cluster);
    }

    @Test
    void fails(Cluster cluster) {
      SEEN.add(cluster);
      throw new AssertionError("on purpose");
    }
  }

  @Test
  void clusterOfTheClassIsNotThatOfItsTests() {
    SEEN.clear();
    EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(WithClassCluster.class))
        .execute()
        .testEvents()
        .assertStatistics(statistics -> statistics.succeeded(2));
    assertEquals(3, SEEN.stream().map(Cluster::id).distinct().count());
    assertSame(SEEN.get(0), SEEN.get(3));
  }

  @SandbarTest(nodes = 0)
  static class WithClassCluster {
    @BeforeAll
    static void begins(Cluster cluster) {
      SEEN.add(cluster);
    }

    @Test
    void first(Cluster cluster) {
      SEEN.add(cluster);
    }

    @Test
    void second(Cluster cluster) {
      SEEN.add(cluster);
    }

    @AfterAll
    static void ends(Cluster cluster) {
      SEEN.add(cluster);
    }
  }

  @Test
  @SandbarTest(fields = "{\"nodes\":2,\"kubeletSpeed\":\"real\"}")
  void fieldsWinOverTheValuesOfTheAnnotation(Cluster cluster) {
    assertEquals(2, cluster.request("GET", "/api/v1/nodes", null).path("items").size());
  }

  @Test
  @SandbarTest(nodes = 0)
  void clusterThatIsGoneIsClosedWithoutAnError(Cluster cluster) {
    cluster.close();
    cluster.close();
  }

  @Test
  void creationThatWasCutOffIsDeletedByItsLabel() throws IOException {
    List<String> deletions = new CopyOnWriteArrayList<>();
    HttpServer service = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    service.createContext(
        "/",
        exchange -> {
          boolean isDeletion = exchange.getRequestMethod().equals("DELETE");
          if (isDeletion) deletions.add(exchange.getRequestURI().toString());
          // The service is still creating the cluster when the first deletion arrives.
          byte[] text = (deletions.size() < 2 ? "{\"deleted\":[]}" : "{\"deleted\":[\"x\"]}").getBytes();
          exchange.sendResponseHeaders(isDeletion ? 200 : 502, text.length);
          exchange.getResponseBody().write(text);
          exchange.close();
        });
    service.start();
    try {
      URI address = URI.create("http://127.0.0.1:" + service.getAddress().getPort());
      assertThrows(SandbarException.class, () -> Cluster.create(address, Cluster.fieldsOf("{}"), false));
    } finally {
      service.stop(0);
    }
    assertEquals(2, deletions.size());
    assertTrue(deletions.get(0).startsWith("/v1/sandboxes?label=sandbar-test%3D"));
  }
}
