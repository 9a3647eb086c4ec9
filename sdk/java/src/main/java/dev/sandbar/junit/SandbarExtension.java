package dev.sandbar.junit;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Makes a cluster for each test that has a parameter of type {@link Cluster}, and deletes it when the test has ended. A cluster of
 * {@code @BeforeAll} is another one: it lives until all tests of the class have ended.
 */
public final class SandbarExtension implements ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(SandbarExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Cluster.class;
  }

  /** JUnit closes what is in the store of a test when the test has ended, also where it has failed. */
  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    // A store also finds what the stores around it have under the same key: the cluster of @BeforeAll.
    return context.getStore(NAMESPACE).getOrComputeIfAbsent(context.getUniqueId(), id -> create(context), Cluster.class);
  }

  private static Cluster create(ExtensionContext context) {
    Optional<SandbarTest> ofMethod = AnnotationSupport.findAnnotation(context.getTestMethod(), SandbarTest.class);
    SandbarTest test = ofMethod.or(() -> AnnotationSupport.findAnnotation(context.getTestClass(), SandbarTest.class)).orElse(null);
    ObjectNode fields = Cluster.fieldsOf(test == null ? "{}" : test.fields());
    if (test == null) return Cluster.create(fields.put("ttlSeconds", 600).put("kubeletSpeed", "zero"), false);
    if (!fields.has("ttlSeconds")) fields.put("ttlSeconds", test.ttlSeconds());
    // A snapshot and a template have these themselves.
    if (!fields.has("snapshot") && !fields.has("template")) {
      if (!fields.has("nodes")) fields.put("nodes", test.nodes());
      if (!fields.has("kubeletSpeed")) fields.put("kubeletSpeed", "zero");
      if (!fields.has("manifests") && !test.manifests().isEmpty()) fields.put("manifests", test.manifests());
    }
    return Cluster.create(fields, test.await());
  }
}
