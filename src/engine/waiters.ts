import type { Task } from '../domain/task.js';

/** Who waits for the end of which task. Settling tells them; nobody polls the store. */
export class Waiters {
  private readonly waiting = new Map<string, Set<(task: Task) => void>>();

  /** Calls back once when the task ends; the returned function stops waiting. */
  on(taskId: string, callback: (task: Task) => void): () => void {
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
}
