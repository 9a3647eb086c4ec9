package dev.sandbar.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives each test of a class, or one test, a cluster of its own: the parameter of type {@link Cluster}. SANDBAR_URL and SANDBAR_API_KEY name
 * the service and the key.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@ExtendWith(SandbarExtension.class)
public @interface SandbarTest {
  /** The number of nodes. */
  int nodes() default 3;

  /** The seconds after which the cluster ends, should the process be killed. */
  int ttlSeconds() default 600;

  /** YAML documents that the cluster begins with. */
  String manifests() default "";

  /** Whether the creation ends when all workloads of the manifests are available. */
  boolean await() default false;

  /** Further fields of the body of POST /v1/sandboxes, as JSON. They win over the values of this annotation. */
  String fields() default "{}";
}
