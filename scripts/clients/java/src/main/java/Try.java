import io.kubernetes.client.Copy;
import io.kubernetes.client.Exec;
import io.kubernetes.client.PodLogs;
import io.kubernetes.client.PortForward;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Configuration;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.VersionApi;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodList;
import io.kubernetes.client.util.CallGeneratorParams;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.PatchUtils;
import io.kubernetes.client.util.Yaml;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** What Java's official client does with a cluster: KUBECONFIG names it, a line tells each thing tried, the exit code whether all went. */
public class Try {
  interface Action {
    void run() throws Exception;
  }

  static final String NAMESPACE = "from-java";
  static int failed = 0;
  static CoreV1Api core;
  static AppsV1Api apps;
  static ApiClient client;

  static void attempt(String what, Action action) {
    try {
      action.run();
      System.out.println("ok: " + what);
    } catch (ApiException error) {
      failed++;
      System.out.println("FAILED: " + what + ": " + error.getCode() + " " + error.getResponseBody());
    } catch (Throwable error) {
      failed++;
      System.out.println("FAILED: " + what + ": " + error);
    }
  }

  static void expect(boolean condition, Object told) {
    if (!condition) throw new IllegalStateException(String.valueOf(told));
  }

  public static void main(String[] words) throws Exception {
    client = Config.defaultClient();
    Configuration.setDefaultApiClient(client);
    core = new CoreV1Api();
    apps = new AppsV1Api();
    attempt("version", () -> expect("36".equals(new VersionApi().getCode().execute().getMinor()), "another version"));
    attempt("namespace", () -> core.createNamespace(
        new V1Namespace().metadata(new V1ObjectMeta().name(NAMESPACE))).execute());
    attempt("ConfigMap: create, replace, apply, conflict", Try::configMap);
    attempt("a refusal as ApiException", Try::refused);
    attempt("Deployment from YAML, until it is available", Try::deployment);
    attempt("an informer", Try::informer);
    attempt("logs", Try::logs);
    attempt("exec with input and an exit code", Try::exec);
    attempt("port-forward", Try::forward);
    attempt("a file to a pod and back", Try::copy);
    attempt("deletion", Try::deletion);
    System.exit(failed > 0 ? 1 : 0);
  }

  static String podName() throws ApiException {
    return core.listNamespacedPod(NAMESPACE).labelSelector("app=web").execute().getItems().get(0).getMetadata().getName();
  }

  static void configMap() throws Exception {
    V1ConfigMap first = core.createNamespacedConfigMap(NAMESPACE, new V1ConfigMap()
        .metadata(new V1ObjectMeta().name("settings")).data(Map.of("a", "1"))).execute();
    V1ConfigMap next = core.readNamespacedConfigMap("settings", NAMESPACE).execute();
    next.setData(Map.of("a", "1", "b", "2"));
    core.replaceNamespacedConfigMap("settings", NAMESPACE, next).execute();
    V1ConfigMap applied = PatchUtils.patch(V1ConfigMap.class, () -> core.patchNamespacedConfigMap("settings", NAMESPACE,
        new V1Patch("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"settings\"},\"data\":{\"c\":\"3\"}}"))
        .fieldManager("java").buildCall(null), V1Patch.PATCH_FORMAT_APPLY_YAML, client);
    expect(applied.getData().size() == 3, applied.getData());
    try {
      core.replaceNamespacedConfigMap("settings", NAMESPACE, first).execute();
    } catch (ApiException error) {
      expect(error.getCode() == 409, error);
      return;
    }
    throw new IllegalStateException("an old resourceVersion was taken");
  }

  static void refused() throws Exception {
    try {
      core.readNamespacedPod("nobody", NAMESPACE).execute();
    } catch (ApiException error) {
      expect(error.getCode() == 404 && error.getResponseBody().contains("NotFound"), error);
      return;
    }
    throw new IllegalStateException("a pod that is not there was read");
  }

  static void deployment() throws Exception {
    String text = String.join("\n",
        "apiVersion: apps/v1", "kind: Deployment", "metadata: { name: web }", "spec:", "  replicas: 2",
        "  selector: { matchLabels: { app: web } }", "  template:", "    metadata: { labels: { app: web } }",
        "    spec: { containers: [{ name: web, image: 'nginx:1.27', ports: [{ containerPort: 80 }] }] }");
    apps.createNamespacedDeployment(NAMESPACE, (V1Deployment) Yaml.load(text)).execute();
    for (int tries = 0; tries < 300; tries++) {
      Integer available = apps.readNamespacedDeployment("web", NAMESPACE).execute().getStatus().getAvailableReplicas();
      if (available != null && available == 2) return;
      Thread.sleep(100);
    }
    throw new IllegalStateException("not available");
  }

  static void informer() throws Exception {
    SharedInformerFactory factory = new SharedInformerFactory(client);
    var informer = factory.sharedIndexInformerFor((CallGeneratorParams one) -> core.listNamespacedPod(NAMESPACE)
        .resourceVersion(one.resourceVersion).timeoutSeconds(one.timeoutSeconds).watch(one.watch).buildCall(null),
        V1Pod.class, V1PodList.class);
    factory.startAllRegisteredInformers();
    try {
      for (int tries = 0; tries < 200; tries++) {
        if (informer.hasSynced() && informer.getIndexer().list().size() == 2) return;
        Thread.sleep(50);
      }
      throw new IllegalStateException("not synced: " + informer.getIndexer().list().size());
    } finally {
      factory.stopAllRegisteredInformers();
    }
  }

  static void logs() throws Exception {
    try (var lines = new BufferedReader(new InputStreamReader(
        new PodLogs().streamNamespacedPodLog(core.readNamespacedPod(podName(), NAMESPACE).execute())))) {
      expect(lines.readLine() != null, "no line");
    }
  }

  static void exec() throws Exception {
    Process process = new Exec().exec(NAMESPACE, podName(), new String[] {"sh", "-c", "read line; echo got $line; exit 3"}, true);
    process.getOutputStream().write("a word\n".getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    expect(said.equals("got a word\n"), said);
    expect(code == 3, code);
  }

  static void forward() throws Exception {
    var forwarded = new PortForward().forward(NAMESPACE, podName(), java.util.List.of(80));
    var out = forwarded.getOutboundStream(80);
    out.write("GET / HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.UTF_8));
    out.flush();
    var lines = new BufferedReader(new InputStreamReader(forwarded.getInputStream(80)));
    StringBuilder answer = new StringBuilder();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      answer.append(line).append('\n');
      if (line.contains("</html>")) break;
    }
    expect(answer.toString().contains("Welcome to nginx"), answer);
  }

  static void copy() throws Exception {
    Path file = Files.createTempFile("note", ".txt");
    Files.writeString(file, "a note");
    new Copy().copyFileToPod(NAMESPACE, podName(), "web", file, Path.of("/tmp/note.txt"));
    try (var back = new Copy().copyFileFromPod(NAMESPACE, podName(), "web", "/tmp/note.txt")) {
      String text = new String(back.readAllBytes(), StandardCharsets.UTF_8);
      expect(text.equals("a note"), text);
    }
  }

  static void deletion() throws Exception {
    core.deleteNamespace(NAMESPACE).execute();
    for (int tries = 0; tries < 600; tries++) {
      try {
        core.readNamespace(NAMESPACE).execute();
      } catch (ApiException error) {
        expect(error.getCode() == 404, error);
        return;
      }
      Thread.sleep(100);
    }
    throw new IllegalStateException("not gone");
  }
}
