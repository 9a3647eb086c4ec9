// An object some of whose methods are others; the rest are its own, private fields and all.

export function overridden<T extends object>(whole: T, methods: Partial<T>): T {
  return new Proxy(whole, {
    get: (target, key) => {
      const own: unknown = Reflect.get(methods, key) ?? Reflect.get(target, key);
      return typeof own === "function" ? (own.bind(target) as unknown) : own;
    },
  });
}
