/** `null`: nothing will come here any more, the service is stopping. */
type Callback<T> = (news: T | null) => void;

/** Who waits for news of what. Whoever brings them tells; nobody polls the store. */
export class Waiters<T> {
  private readonly waiting = new Map<string, Set<Callback<T>>>();

  /** Calls back once, with the next news; the returned function stops waiting. */
  on(key: string, callback: Callback<T>): () => void {
    const callbacks = this.waiting.get(key) ?? new Set();
    callbacks.add(callback);
    this.waiting.set(key, callbacks);
    return () => {
      callbacks.delete(callback);
      if (callbacks.size === 0 && this.waiting.get(key) === callbacks) this.waiting.delete(key);
    };
  }

  tell(key: string, news: T): void {
    const callbacks = this.waiting.get(key);
    this.waiting.delete(key);
    for (const callback of callbacks ?? []) callback(news);
  }

  releaseAll(): void {
    const everybody = [...this.waiting.values()];
    this.waiting.clear();
    for (const callbacks of everybody) for (const callback of callbacks) callback(null);
  }
}
