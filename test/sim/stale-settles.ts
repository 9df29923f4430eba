import { EMPTY_META } from '../../src/domain/task.js';
import type { Settlement, Store } from '../../src/ports/store.js';
import type { Books } from './books.js';
import type { Life } from './life.js';
import type { Seeded } from './seeded.js';
import { type Trace, Violation } from './trace.js';

interface Settled {
  claim: { taskId: string; visits: number };
  settlement: Settlement;
  life: Life;
  isAnswered: boolean;
}

interface StaleParts {
  books: Books;
  seeded: Seeded;
  trace: Trace;
  check: (act: () => void) => void;
}

const OVERDUE: Settlement = {
  kind: 'failed',
  code: 'task_timeout',
  error: 'The visit did not end within its time.',
  notBefore: null,
  meta: EMPTY_META,
};

/** Words about visits that are over, said once more: the answer must be that they no longer count. */
export class StaleSettles {
  private readonly all: Settled[] = [];

  constructor(private readonly parts: StaleParts) {}

  /** The store itself, with every settle kept. */
  around(store: Store, life: Life): void {
    const { settle } = store;
    store.settle = async (claim, settlement, now) => {
      const said: Settled = { claim, settlement, life, isAnswered: false };
      this.all.push(said);
      const settled = await settle(claim, settlement, now);
      said.isAnswered = true;
      return settled;
    };
  }

  /** What a process said that is gone, or that was answered already; of a task that is visited again, if there is one. */
  repeatOne(store: Store, now: number): void {
    const { books, seeded, trace, check } = this.parts;
    const old = this.all.filter(({ life, isAnswered }) => life.isOver || isAnswered);
    const dangerous = old.filter(({ claim }) => books.tasks.get(claim.taskId)?.status === 'running');
    const choices = dangerous.length > 0 ? dangerous : old;
    if (choices.length === 0) return;
    const { claim, settlement: said } = seeded.pick(choices);
    // As it was said, or as somebody would say it who believes the visit is still his to end.
    const settlement = seeded.chance(0.5) ? said : OVERDUE;
    trace.note('stale', `${claim.taskId} ${claim.visits} ${settlement.kind}`);
    store.settle(claim, settlement, now).then(
      (settled) =>
        check(() => {
          if (settled)
            throw new Violation('fence', `visit ${claim.visits} of ${claim.taskId} was settled after its end`);
        }),
      // The disk may refuse it as anything else.
      () => {},
    );
  }
}
