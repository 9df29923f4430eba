/**
 * Room for long pages. A page is read whole, and as text it lies on V8's heap, which has a limit: as many long pages as
 * visits may run at once would not fit. Whoever has one in hand waits with it, still as bytes, until there is room; first
 * come, first served.
 */
export interface PageRoom {
  /** One leg's claim on it. */
  open(): RoomForLeg;
}

export interface RoomForLeg {
  /** Resolves when so many bytes may become text, or when the leg is over. */
  take(bytes: number): Promise<void>;
  /** Gives back what was taken, and whatever is waited for is not wanted any more. */
  leave(): void;
}

/** What is shorter is not worth waiting for: even of all visits together they fit. */
const SHORT_BYTES = 256 * 1024;

interface Claim {
  bytes: number;
  resolve(): void;
}

/** A page longer than all of it has it to itself. */
export function createPageRoom(mostBytes: number): PageRoom {
  const waiting: Claim[] = [];
  let taken = 0;

  const admit = (): void => {
    for (let next = waiting[0]; next && (taken === 0 || taken + next.bytes <= mostBytes); next = waiting[0]) {
      waiting.shift();
      taken += next.bytes;
      next.resolve();
    }
  };

  return {
    open() {
      let claim: Claim | null = null;
      return {
        take(bytes) {
          if (bytes < SHORT_BYTES || claim) return Promise.resolve();
          return new Promise((resolve) => {
            claim = { bytes, resolve };
            waiting.push(claim);
            admit();
          });
        },
        leave() {
          if (!claim) return;
          const at = waiting.indexOf(claim);
          if (at >= 0) waiting.splice(at, 1)[0]?.resolve();
          else taken -= claim.bytes;
          claim = null;
          admit();
        },
      };
    },
  };
}
