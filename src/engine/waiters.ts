import type { Task } from '../domain/task.js';

/** `null`: nobody will finish it here any more, the service is stopping. */
type Callback = (task: Task | null) => void;

/** Who waits for the end of which task. Settling tells them; nobody polls the store. */
export class Waiters {
  private readonly waiting = new Map<string, Set<Callback>>();

  /** Calls back once when the task ends; the returned function stops waiting. */
  on(taskId: string, callback: Callback): () => void {
    const callbacks = this.waiting.get(taskId) ?? new Set();
    callbacks.add(callback);
    this.waiting.set(taskId, callbacks);
    return () => {
      callbacks.delete(callback);
      if (callbacks.size === 0 && this.waiting.get(taskId) === callbacks) this.waiting.delete(taskId);
    };
  }

  tell(task: Task): void {
    const callbacks = this.waiting.get(task.id);
    this.waiting.delete(task.id);
    for (const callback of callbacks ?? []) callback(task);
  }

  releaseAll(): void {
    const everybody = [...this.waiting.values()];
    this.waiting.clear();
    for (const callbacks of everybody) for (const callback of callbacks) callback(null);
  }
}
