package dev.sandbar.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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
}
