/** An item that knows its place, so that it can be taken out of the middle in O(log n). -1: in no heap. */
export interface HeapItem {
  heapIndex: number;
}

/** A binary heap, smallest first, with removal of any item. An item is in at most one heap at a time. */
export class Heap<T extends HeapItem> {
  private readonly items: T[] = [];
  private readonly isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.isBefore = isBefore;
  }

  get size(): number {
    return this.items.length;
  }

  peek(): T | undefined {
    return this.items[0];
  }

  push(item: T): void {
    this.place(item, this.items.length);
    this.rise(item.heapIndex);
  }

  pop(): T | undefined {
    const first = this.items[0];
    if (first) this.remove(first);
    return first;
  }

  remove(item: T): void {
    const index = item.heapIndex;
    const last = this.items.pop() as T;
    item.heapIndex = -1;
    if (last === item) return;
    this.place(last, index);
    this.rise(index);
    this.sink(last.heapIndex);
  }

  private rise(start: number): void {
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.isBefore(this.at(index), this.at(parent))) return;
      this.swap(index, parent);
      index = parent;
    }
  }

  private sink(start: number): void {
    let index = start;
    for (;;) {
      const left = 2 * index + 1;
      if (left >= this.items.length) return;
      const right = left + 1;
      const child = right < this.items.length && this.isBefore(this.at(right), this.at(left)) ? right : left;
      if (!this.isBefore(this.at(child), this.at(index))) return;
      this.swap(index, child);
      index = child;
    }
  }

  private swap(a: number, b: number): void {
    const first = this.at(a);
    this.place(this.at(b), a);
    this.place(first, b);
  }

  private place(item: T, index: number): void {
    this.items[index] = item;
    item.heapIndex = index;
  }

  private at(index: number): T {
    return this.items[index] as T;
  }
}
