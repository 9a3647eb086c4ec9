import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.LocalPortForward;
import io.fabric8.kubernetes.client.dsl.ExecWatch;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What fabric8's client does with a cluster: KUBECONFIG names it, a line tells each thing tried, the exit code whether all went. */
public class Try {
  interface Action {
    void run() throws Exception;
  }

  static final String NAMESPACE = "from-fabric8";
  static int failed = 0;

  static void attempt(String what, Action action) {
    try {
      action.run();
      System.out.println("ok: " + what);
    } catch (Throwable error) {
      failed++;
      System.out.println("FAILED: " + what + ": " + error);
    }
  }

  static void expect(boolean condition, Object told) {
    if (!condition) throw new IllegalStateException(String.valueOf(told));
  }

  public static void main(String[] words) {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      attempt("version", () -> expect("36".equals(client.getKubernetesVersion().getMinor()), client.getKubernetesVersion()));
      attempt("namespace", () -> client.namespaces().resource(
          new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build()).create());
      attempt("ConfigMap: create, edit, apply, conflict", () -> configMap(client));
      attempt("a refusal as KubernetesClientException", () -> refused(client));
      attempt("Deployment from YAML, waited for", () -> deployment(client));
      attempt("an informer", () -> informer(client));
      attempt("logs", () -> logs(client));
      attempt("exec with input and an exit code", () -> exec(client));
      attempt("port-forward", () -> forward(client));
      attempt("a file to a pod and back", () -> copy(client));
      attempt("custom objects", () -> custom(client));
      attempt("deletion, waited for", () -> {
        client.namespaces().withName(NAMESPACE).delete();
        client.namespaces().withName(NAMESPACE).waitUntilCondition(found -> found == null, 60, TimeUnit.SECONDS);
      });
    }
    System.exit(failed > 0 ? 1 : 0);
  }

  static String podName(KubernetesClient client) {
    return client.pods().inNamespace(NAMESPACE).withLabel("app", "web").list().getItems().get(0).getMetadata().getName();
  }

  static void configMap(KubernetesClient client) {
    ConfigMap first = client.configMaps().inNamespace(NAMESPACE).resource(new ConfigMapBuilder()
        .withNewMetadata().withName("settings").endMetadata().addToData("a", "1").build()).create();
    client.configMaps().inNamespace(NAMESPACE).withName("settings").edit(
        map -> new ConfigMapBuilder(map).addToData("b", "2").build());
    ConfigMap applied = client.configMaps().inNamespace(NAMESPACE).withName("settings").patch(
        new PatchContext.Builder().withPatchType(PatchType.SERVER_SIDE_APPLY).withFieldManager("java").build(),
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"settings\"},\"data\":{\"c\":\"3\"}}");
    expect(applied.getData().equals(Map.of("a", "1", "b", "2", "c", "3")), applied.getData());
    try {
      client.configMaps().inNamespace(NAMESPACE).resource(first).lockResourceVersion().update();
    } catch (KubernetesClientException error) {
      expect(error.getCode() == 409, error);
      return;
    }
    throw new IllegalStateException("an old resourceVersion was taken");
  }

  static void refused(KubernetesClient client) {
    try {
      client.namespaces().resource(new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build()).create();
    } catch (KubernetesClientException error) {
      expect(error.getCode() == 409 && "AlreadyExists".equals(error.getStatus().getReason()), error);
      return;
    }
    throw new IllegalStateException("made twice");
  }

  static void deployment(KubernetesClient client) {
    String text = String.join("\n",
        "apiVersion: apps/v1", "kind: Deployment", "metadata: { name: web }", "spec:", "  replicas: 2",
        "  selector: { matchLabels: { app: web } }", "  template:", "    metadata: { labels: { app: web } }",
        "    spec: { containers: [{ name: web, image: 'nginx:1.27', ports: [{ containerPort: 80 }] }] }");
    client.load(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))).inNamespace(NAMESPACE).serverSideApply();
    client.apps().deployments().inNamespace(NAMESPACE).withName("web").waitUntilReady(60, TimeUnit.SECONDS);
  }

  static void informer(KubernetesClient client) throws Exception {
    try (var informer = client.pods().inNamespace(NAMESPACE).inform()) {
      expect(informer.hasSynced(), "not synced");
      expect(informer.getIndexer().list().size() == 2, informer.getIndexer().list().size());
      Pod pod = informer.getIndexer().list().get(0);
      client.pods().resource(pod).edit(one -> new io.fabric8.kubernetes.api.model.PodBuilder(one)
          .editMetadata().addToLabels("seen", "yes").endMetadata().build());
      for (int tries = 0; tries < 100; tries++) {
        if (informer.getIndexer().list().stream().anyMatch(one -> "yes".equals(one.getMetadata().getLabels().get("seen")))) return;
        Thread.sleep(50);
      }
      throw new IllegalStateException("the change was not seen");
    }
  }

  static void logs(KubernetesClient client) {
    String text = client.pods().inNamespace(NAMESPACE).withName(podName(client)).tailingLines(3).getLog();
    expect(!text.isEmpty(), "no lines");
  }

  static void exec(KubernetesClient client) throws Exception {
    var said = new ByteArrayOutputStream();
    var input = new ByteArrayInputStream("a word\n".getBytes(StandardCharsets.UTF_8));
    try (ExecWatch process = client.pods().inNamespace(NAMESPACE).withName(podName(client)).readingInput(input)
        .writingOutput(said).exec("sh", "-c", "read line; echo got $line; exit 3")) {
      int code = process.exitCode().get(30, TimeUnit.SECONDS);
      expect(code == 3, code);
      expect(said.toString(StandardCharsets.UTF_8).equals("got a word\n"), said);
    }
  }

  static void forward(KubernetesClient client) throws Exception {
    try (LocalPortForward port = client.pods().inNamespace(NAMESPACE).withName(podName(client)).portForward(80)) {
      HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port.getLocalPort() + "/")).build();
      var answer = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()
          .send(request, HttpResponse.BodyHandlers.ofString());
      expect(answer.statusCode() == 200 && answer.body().contains("Welcome to nginx"), answer.body());
    }
  }

  static void copy(KubernetesClient client) throws Exception {
    var pod = client.pods().inNamespace(NAMESPACE).withName(podName(client));
    pod.file("/tmp/note.txt").upload(new ByteArrayInputStream("a note".getBytes(StandardCharsets.UTF_8)));
    try (var back = pod.file("/tmp/note.txt").read()) {
      String text = new String(back.readAllBytes(), StandardCharsets.UTF_8);
      expect(text.equals("a note"), text);
    }
  }

  static void custom(KubernetesClient client) throws Exception {
    String definition = String.join("\n",
        "apiVersion: apiextensions.k8s.io/v1", "kind: CustomResourceDefinition", "metadata: { name: things.java.example.com }",
        "spec:", "  group: java.example.com", "  scope: Namespaced", "  names: { plural: things, singular: thing, kind: Thing }",
        "  versions:", "    - name: v1", "      served: true", "      storage: true",
        "      schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { size: { type: integer } } } } } }");
    var made = client.apiextensions().v1().customResourceDefinitions()
        .load(new ByteArrayInputStream(definition.getBytes(StandardCharsets.UTF_8)));
    made.create();
    client.apiextensions().v1().customResourceDefinitions().withName("things.java.example.com").waitUntilCondition(
        found -> found != null && found.getStatus() != null && found.getStatus().getConditions().stream()
            .anyMatch(one -> "Established".equals(one.getType()) && "True".equals(one.getStatus())), 30, TimeUnit.SECONDS);
    var kind = new ResourceDefinitionContext.Builder().withGroup("java.example.com").withVersion("v1").withKind("Thing")
        .withPlural("things").withNamespaced(true).build();
    var thing = new GenericKubernetesResource();
    thing.setApiVersion("java.example.com/v1");
    thing.setKind("Thing");
    thing.setMetadata(new io.fabric8.kubernetes.api.model.ObjectMetaBuilder().withName("one").build());
    thing.setAdditionalProperty("spec", Map.of("size", 1));
    var things = client.genericKubernetesResources(kind).inNamespace(NAMESPACE);
    things.resource(thing).create();
    expect(things.list().getItems().size() == 1, "not listed");
    client.apiextensions().v1().customResourceDefinitions().withName("things.java.example.com").delete();
  }
}
