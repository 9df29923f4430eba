import { Heap, type HeapItem } from './heap.js';
import { ownText } from './own-text.js';
import { priorityKey } from './priority.js';

/** What the lanes need to know of an entry; callers may carry more in it. */
export interface LaneEntry {
  taskId: string;
  /** The name of its lane: the domain, or the host where that has a policy of its own. */
  lane: string;
  jobSize: number;
  since: number;
  notBefore: number;
}

interface Node<E> extends HeapItem {
  entry: E;
  key: number;
  home: Heap<Node<E>>;
}

/**
 * A lane is in exactly one place:
 *   ready  – has work, is not held, has a free place: can be taken from
 *   held   – must rest until `heldUntil`
 *   idle   – empty, or as many of its tasks run as may (comes back through `add` or `done`)
 */
interface Lane<E> extends HeapItem {
  name: string;
  nodes: Heap<Node<E>>;
  heldUntil: number;
  /** When it will really be its turn, where that is later than the next look. */
  expected: number;
  active: number;
  place: 'ready' | 'held' | 'idle';
  /** What it is ordered by where it is: kept here, since its content changes while it stands in a heap. */
  first: Node<E> | null;
  wakesAt: number;
}

/**
 * What to take next, without ever looking at more than the top of a heap: a heap of tasks per domain (its lane),
 * a heap of the lanes that are ready by their best task, one of the held lanes by the time they are released, and one of
 * the tasks that have a time of their own (retries). Everything is O(log n); a domain that waits costs nobody else a step.
 * Pure: time comes in as `now`.
 */
export class LaneQueue<E extends LaneEntry> {
  private readonly width: (lane: string) => number;
  private readonly lanes = new Map<string, Lane<E>>();
  private readonly nodes = new Map<string, Node<E>>();
  private readonly delayed = new Heap<Node<E>>((a, b) => a.entry.notBefore < b.entry.notBefore);
  private readonly ready = new Heap<Lane<E>>((a, b) => isBefore(a.first as Node<E>, b.first as Node<E>));
  private readonly held = new Heap<Lane<E>>((a, b) => a.wakesAt < b.wakesAt);
  private standaloneCount = 0;

  /** `width`: how many tasks of a lane may run at once. */
  constructor(width: (lane: string) => number) {
    this.width = width;
  }

  get size(): number {
    return this.nodes.size;
  }

  counts(): { standalone: number; batch: number; delayed: number; lanes: number } {
    return {
      standalone: this.standaloneCount,
      batch: this.nodes.size - this.standaloneCount,
      delayed: this.delayed.size,
      lanes: this.lanes.size,
    };
  }

  /** How many wait in each lane; those with a time of their own are in none yet. */
  *sizes(): Iterable<{ lane: string; waiting: number }> {
    for (const { name, nodes } of this.lanes.values()) yield { lane: name, waiting: nodes.size };
  }

  /** Adding an id that is already there changes nothing. */
  add(entry: E, now: number): void {
    if (this.nodes.has(entry.taskId)) return;
    const node: Node<E> = {
      entry,
      key: priorityKey(entry.since, entry.jobSize),
      home: this.delayed,
      heapIndex: -1,
    };
    this.nodes.set(entry.taskId, node);
    if (entry.jobSize === 0) this.standaloneCount += 1;
    if (entry.notBefore > now) this.delayed.push(node);
    else this.enterLane(node, now);
  }

  /** The order key of what `take` would give; `null` when nothing is ready. */
  bestKey(now: number): number | null {
    this.promote(now);
    return this.ready.peek()?.first?.key ?? null;
  }

  /** The best ready entry. Its lane counts it as running until `done`. */
  take(now: number): E | null {
    this.promote(now);
    const lane = this.ready.peek();
    if (!lane) return null;
    const node = lane.nodes.peek() as Node<E>;
    this.reshape(lane, now, () => {
      lane.nodes.pop();
      lane.active += 1;
    });
    this.forget(node);
    return node.entry;
  }

  done(name: string, now: number): void {
    const lane = this.lanes.get(name);
    if (!lane) return;
    this.reshape(lane, now, () => {
      lane.active -= 1;
    });
  }

  hold(name: string, hold: { until: number; expected?: number }, now: number): void {
    const lane = this.laneOf(name);
    this.reshape(lane, now, () => {
      lane.heldUntil = Math.max(lane.heldUntil, hold.until);
      lane.expected = Math.max(lane.expected, hold.expected ?? hold.until);
    });
  }

  /** Before when the entry will not be taken, as far as is known; `null`: it could be taken, or is not here. */
  dueAt(taskId: string, now: number): number | null {
    const node = this.nodes.get(taskId);
    if (!node) return null;
    const lane = this.lanes.get(node.entry.lane);
    const held = lane && lane.heldUntil > now ? Math.max(lane.heldUntil, lane.expected) : 0;
    const due = Math.max(held, node.entry.notBefore);
    return due > now ? due : null;
  }

  remove(taskId: string, now: number): E | null {
    const node = this.nodes.get(taskId);
    if (!node) return null;
    this.forget(node);
    if (node.home === this.delayed) this.delayed.remove(node);
    else {
      const lane = this.laneOf(node.entry.lane);
      this.reshape(lane, now, () => lane.nodes.remove(node));
    }
    return node.entry;
  }

  /** When something that is not ready now becomes so by time alone (always after `now`); `null`: never. */
  nextDue(now: number): number | null {
    this.promote(now);
    const task = this.delayed.peek()?.entry.notBefore ?? Number.POSITIVE_INFINITY;
    const lane = this.held.peek()?.wakesAt ?? Number.POSITIVE_INFINITY;
    const due = Math.min(task, lane);
    return due === Number.POSITIVE_INFINITY ? null : due;
  }

  private promote(now: number): void {
    for (let node = this.delayed.peek(); node && node.entry.notBefore <= now; node = this.delayed.peek()) {
      this.delayed.pop();
      this.enterLane(node, now);
    }
    for (let lane = this.held.peek(); lane && lane.wakesAt <= now; lane = this.held.peek()) {
      this.reshape(lane, now, () => {});
    }
  }

  private enterLane(node: Node<E>, now: number): void {
    const lane = this.laneOf(node.entry.lane);
    node.home = lane.nodes;
    // One name for all of them: each entry brings one that may hold its whole URL.
    node.entry.lane = lane.name;
    this.reshape(lane, now, () => lane.nodes.push(node));
  }

  /** Most tasks come behind others of their lane, which then stays where it is: the heaps hear only of what matters. */
  private reshape(lane: Lane<E>, now: number, change: () => void): void {
    change();
    const place = this.placeFor(lane, now);
    const first = lane.nodes.peek() ?? null;
    if (place !== lane.place || first !== lane.first || lane.heldUntil !== lane.wakesAt) {
      this.heapOf(lane)?.remove(lane);
      lane.place = place;
      lane.first = first;
      lane.wakesAt = lane.heldUntil;
      this.heapOf(lane)?.push(lane);
    }
    if (place === 'idle' && lane.nodes.size === 0 && lane.active === 0) this.lanes.delete(lane.name);
  }

  private heapOf({ place }: Lane<E>): Heap<Lane<E>> | null {
    if (place === 'idle') return null;
    return place === 'ready' ? this.ready : this.held;
  }

  private placeFor(lane: Lane<E>, now: number): Lane<E>['place'] {
    if (lane.heldUntil > now) return 'held';
    if (lane.nodes.size === 0 || lane.active >= this.width(lane.name)) return 'idle';
    return 'ready';
  }

  private laneOf(name: string): Lane<E> {
    const known = this.lanes.get(name);
    if (known) return known;
    const lane: Lane<E> = {
      name: ownText(name),
      nodes: new Heap<Node<E>>(isBefore),
      heldUntil: 0,
      expected: 0,
      active: 0,
      place: 'idle',
      first: null,
      wakesAt: 0,
      heapIndex: -1,
    };
    this.lanes.set(lane.name, lane);
    return lane;
  }

  private forget(node: Node<E>): void {
    this.nodes.delete(node.entry.taskId);
    if (node.entry.jobSize === 0) this.standaloneCount -= 1;
  }
}

/** Ids are time-ordered, so they break ties in order of arrival. */
function isBefore<E extends LaneEntry>(a: Node<E>, b: Node<E>): boolean {
  return a.key < b.key || (a.key === b.key && a.entry.taskId < b.entry.taskId);
}
