/** Reads when it is first asked, and keeps the answer. */
export function lazy<T>(read: () => T): () => T {
  let known: { value: T } | null = null;
  return () => {
    known ??= { value: read() };
    return known.value;
  };
}
