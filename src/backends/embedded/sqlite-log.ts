import type BetterSqlite3 from 'better-sqlite3';

/** As many pages as SQLite itself would let gather: about 4 MB. */
const PAGES_PER_CHECKPOINT = 1_000;
/** What SQLite writes in front of each page of the log. */
const FRAME_HEADER_BYTES = 24;

interface LogState {
  log: number;
  checkpointed: number;
}

export interface LogOptions {
  /** Beyond this the log counts as too long. */
  longBytes: number;
  /** Called once when it has become too long, and again when it no longer is. */
  onLength(isLong: boolean, bytes: number): void;
}

/**
 * Moves what the log holds into the file itself, when enough has gathered. SQLite would do so by itself, but without a
 * word when the disk refuses: a sync that failed would be tried again, and succeed without what was lost. Whoever calls
 * `keep` is told.
 *
 * The log begins anew once all of it is moved and nobody reads from it. A reader in another process that does not end
 * keeps it growing: nothing here can end that, so it is told.
 */
export class SqliteLog {
  private readonly look: BetterSqlite3.Statement<[], LogState>;
  private readonly move: BetterSqlite3.Statement<[], LogState>;
  private readonly frameBytes: number;
  private pages = 0;
  /** While somebody stands in the way it is not tried at every commit. */
  private nextTryAt = 0;
  private isLong = false;

  constructor(
    writer: BetterSqlite3.Database,
    private readonly options: LogOptions,
  ) {
    writer.pragma('wal_autocheckpoint = 0');
    this.look = writer.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.move = writer.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.frameBytes = Number(writer.pragma('page_size', { simple: true })) + FRAME_HEADER_BYTES;
  }

  /** What is in use of it; the file may be longer. */
  get bytes(): number {
    return this.pages * this.frameBytes;
  }

  /** After each commit. Throws what the disk has against it. */
  keep(): void {
    const { log, checkpointed } = this.look.get()!;
    if (log < this.pages) this.nextTryAt = 0;
    this.pages = Math.max(0, log);
    if (log - checkpointed >= PAGES_PER_CHECKPOINT && log >= this.nextTryAt) {
      this.nextTryAt = log + PAGES_PER_CHECKPOINT;
      const after = this.move.get()!;
      if (after.checkpointed === after.log) this.nextTryAt = 0;
    }
    this.tell();
  }

  private tell(): void {
    const isLong = this.bytes > this.options.longBytes;
    if (isLong === this.isLong) return;
    this.isLong = isLong;
    this.options.onLength(isLong, this.bytes);
  }
}
