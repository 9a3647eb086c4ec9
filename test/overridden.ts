// Returns an object with some methods replaced; other methods and private fields are the original's.

export function overridden<T extends object>(original: T, methods: Partial<T>): T {
  return new Proxy(original, {
    get: (target, key) => {
      const value: unknown = Reflect.get(methods, key) ?? Reflect.get(target, key);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
