import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { APPEARANCES, type Appearance, type Lesson, RenderExperience } from '../../src/domain/render-experience.js';

const HOUR = 3_600_000;
const ground = { domain: 'example.com', targetType: 'job_posting' };
const other = { domain: 'example.com', targetType: 'company_website' };

const enough: Lesson = { kind: 'enough' };
const helped = (appearance: Appearance = 'scripted'): Lesson => ({ kind: 'helped', appearance });
const vain = (appearance: Appearance = 'plain'): Lesson => ({ kind: 'brought_no_more', appearance });

function taught(lessons: Lesson[], now = 0): RenderExperience {
  const experience = new RenderExperience();
  for (const lesson of lessons) experience.learn(ground, lesson, now);
  return experience;
}
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('what render: auto has learnt', () => {
  it('is nothing at first: plain HTTP, and a browser where that is not enough', () => {
    const experience = new RenderExperience();
    expect(experience.beginning(ground, 0)).toBe('http_first');
    for (const appearance of APPEARANCES) expect(experience.continuation(ground, appearance, 0)).toBe('escalate');
    expect(experience.habit(ground, 0)).toBeNull();
    expect(experience.size).toBe(0);
  });

  it('leads straight to the browser once that was needed and helped three times, here and nowhere else', () => {
    expect(taught(times(2, helped())).needs(ground, 0)).toBe('http');
    const experience = taught(times(3, helped()));
    expect(experience.needs(ground, 0)).toBe('browser');
    expect(experience.beginning(ground, 0)).toBe('straight_to_browser');
    expect(experience.habit(ground, 0)).toBe('straight_to_browser');
    expect(experience.beginning(other, 0)).toBe('http_first');
  });

  it('does not lead to the browser where many pages do without', () => {
    expect(taught([enough, ...times(3, helped())]).needs(ground, 0)).toBe('http');
    expect(taught([enough, ...times(4, helped())]).needs(ground, 0)).toBe('browser');
    const mixed = times(10, [helped(), helped(), enough]).flat();
    expect(taught(mixed).needs(ground, 0)).toBe('http');
  });

  it('looks at plain HTTP again at every twentieth visit', () => {
    const experience = taught(times(3, helped()));
    const begun = Array.from({ length: 41 }, () => {
      const beginning = experience.beginning(ground, 0);
      if (beginning === 'straight_to_browser') experience.wentStraight(ground);
      return beginning;
    });
    expect(begun.flatMap((beginning, at) => (beginning === 'reprobe_http' ? [at + 1] : []))).toEqual([20, 40]);
  });

  it('looks again after an hour, once, and asking alone is no visit', () => {
    const experience = taught(times(8, helped()));
    for (let asked = 0; asked < 100; asked += 1) {
      expect(experience.beginning(ground, HOUR - 1)).toBe('straight_to_browser');
    }
    expect(experience.beginning(ground, HOUR)).toBe('reprobe_http');
    expect(experience.beginning(ground, HOUR)).toBe('straight_to_browser');
    expect(experience.needs(ground, HOUR)).toBe('browser');
  });

  it('looks again with the next visit when a browser that went straight was turned away, once', () => {
    const experience = taught(times(8, helped()));
    experience.wasTurnedAway(other);
    expect(experience.beginning(ground, 0)).toBe('straight_to_browser');
    experience.wasTurnedAway(ground);
    expect(experience.beginning(ground, 0)).toBe('reprobe_http');
    expect(experience.beginning(ground, 0)).toBe('straight_to_browser');
  });

  it('believes one look that finds plain HTTP enough, and is won back by a few pages that need more', () => {
    const experience = taught(times(100, helped()));
    experience.learn(ground, enough, 0);
    expect(experience.beginning(ground, 0)).toBe('http_first');
    for (let page = 0; page < 6; page += 1) experience.learn(ground, helped(), 0);
    expect(experience.beginning(ground, 0)).toBe('straight_to_browser');
  });

  it('stops opening browsers for pages that lack something after three in vain', () => {
    const experience = taught(times(2, vain()));
    expect(experience.continuation(ground, 'plain', 0)).toBe('escalate');
    experience.learn(ground, vain(), 0);
    expect(experience.continuation(ground, 'plain', 0)).toBe('kept_on_http');
    expect(experience.habit(ground, 0)).toBe('kept_on_http');
    expect(experience.continuation(other, 'plain', 0)).toBe('escalate');
  });

  it('needs one try only on a site that does without scripts, but that one it needs', () => {
    const experience = taught(times(20, enough));
    expect(experience.continuation(ground, 'plain', 0)).toBe('escalate');
    experience.learn(ground, vain(), 0);
    expect(experience.continuation(ground, 'plain', 0)).toBe('kept_on_http');
  });

  it('opens one all the same for pages that look scripted or blocked, until five of those were in vain', () => {
    for (const appearance of ['scripted', 'blocked'] as const) {
      const experience = taught([...times(20, enough), ...times(8, vain()), ...times(4, vain(appearance))]);
      expect(experience.continuation(ground, appearance, 0)).toBe('escalate');
      experience.learn(ground, vain(appearance), 0);
      expect(experience.continuation(ground, appearance, 0)).toBe('kept_on_http');
    }
  });

  it('tries a browser again with every fiftieth page, or after an hour', () => {
    const experience = taught(times(8, vain()));
    const went = Array.from({ length: 100 }, () => experience.continuation(ground, 'plain', 0));
    expect(went.flatMap((how, at) => (how === 'reprobe_browser' ? [at + 1] : []))).toEqual([50, 100]);
    expect(experience.continuation(ground, 'plain', HOUR)).toBe('reprobe_browser');
    expect(experience.continuation(ground, 'plain', HOUR)).toBe('kept_on_http');
  });

  it('opens browsers again as soon as one has helped', () => {
    const experience = taught([...times(100, vain()), helped('plain')]);
    expect(experience.continuation(ground, 'plain', 0)).toBe('escalate');
  });

  it('fades', () => {
    expect(taught(times(8, helped())).needs(ground, 10 * HOUR)).toBe('browser');
    expect(taught(times(8, helped())).needs(ground, 11 * HOUR)).toBe('http');
    expect(taught(times(8, vain())).continuation(ground, 'plain', 11 * HOUR)).toBe('escalate');
    expect(taught(times(3, helped())).needs(ground, 2 * HOUR)).toBe('http');
  });

  it('is kept of the grounds that were last in use, and of no more than there is room for', () => {
    const experience = new RenderExperience({ max: 3 });
    const at = (n: number) => ({ domain: `d${n}.com`, targetType: 'job_posting' });
    for (let n = 0; n < 3; n += 1) for (let page = 0; page < 3; page += 1) experience.learn(at(n), helped(), 0);
    experience.beginning(at(0), 0);
    // Only looked at, by an operator: that is no use.
    experience.habit(at(1), 0);
    experience.learn(at(9), enough, 0);
    expect(experience.size).toBe(3);
    expect([0, 1, 2].map((n) => experience.needs(at(n), 0))).toEqual(['browser', 'http', 'browser']);
  });
});

const appearance = fc.constantFrom(...APPEARANCES);
const lesson = fc.oneof(
  fc.constant(enough),
  appearance.map((seen): Lesson => helped(seen)),
  appearance.map((seen): Lesson => vain(seen)),
);
const history = fc.array(fc.record({ lesson, pauseMs: fc.nat(4 * HOUR) }), { maxLength: 60 });

/** The experience after this history, and the time at its end. */
function lived(steps: { lesson: Lesson; pauseMs: number }[]): { experience: RenderExperience; now: number } {
  const experience = new RenderExperience();
  let now = 0;
  for (const step of steps) {
    now += step.pauseMs;
    experience.learn(ground, step.lesson, now);
  }
  return { experience, now };
}

describe('whatever has been seen', () => {
  it('nobody goes straight to a browser that has not helped at least three times', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const { experience, now } = lived(steps);
        const helps = steps.filter((step) => step.lesson.kind === 'helped').length;
        if (experience.beginning(ground, now) !== 'http_first') expect(helps).toBeGreaterThanOrEqual(3);
      }),
      { numRuns: 1_000 },
    );
  });

  it('no page is left at plain HTTP unless a browser was in vain for one like it, since it last helped there', () => {
    fc.assert(
      fc.property(history, appearance, (steps, seen) => {
        const { experience, now } = lived(steps);
        if (experience.continuation(ground, seen, now) === 'escalate') return;
        const alike = steps.flatMap((step) =>
          'appearance' in step.lesson && step.lesson.appearance === seen ? [step.lesson.kind] : [],
        );
        expect(alike.slice(alike.lastIndexOf('helped') + 1).length).toBeGreaterThan(0);
      }),
      { numRuns: 1_000 },
    );
  });

  it('somebody looks again within twenty visits or fifty pages', () => {
    fc.assert(
      fc.property(history, appearance, (steps, seen) => {
        const { experience, now } = lived(steps);
        const begun = Array.from({ length: 20 }, () => {
          const beginning = experience.beginning(ground, now);
          if (beginning === 'straight_to_browser') experience.wentStraight(ground);
          return beginning;
        });
        expect(begun.some((beginning) => beginning !== 'straight_to_browser')).toBe(true);
        const went = Array.from({ length: 50 }, () => experience.continuation(ground, seen, now));
        expect(went.some((how) => how !== 'kept_on_http')).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('everything is open again after two days', () => {
    fc.assert(
      fc.property(history, appearance, (steps, seen) => {
        const { experience, now } = lived(steps);
        expect(experience.beginning(ground, now + 48 * HOUR)).toBe('http_first');
        expect(experience.continuation(ground, seen, now + 48 * HOUR)).toBe('escalate');
      }),
      { numRuns: 300 },
    );
  });

  it('a site that changes is followed: a dozen pages to the browser, one look back', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const { experience, now } = lived(steps);
        for (let page = 0; page < 13; page += 1) experience.learn(ground, helped(), now);
        expect(experience.needs(ground, now)).toBe('browser');
        experience.learn(ground, enough, now);
        expect(experience.needs(ground, now)).toBe('http');
      }),
      { numRuns: 300 },
    );
  });

  it('where a browser has helped, six in vain after that are not enough to give it up', () => {
    fc.assert(
      fc.property(history, appearance, fc.integer({ min: 0, max: 6 }), (steps, seen, count) => {
        const { experience, now } = lived(steps);
        experience.learn(ground, helped(seen), now);
        for (let page = 0; page < count; page += 1) experience.learn(ground, vain(seen), now);
        expect(experience.continuation(ground, seen, now)).toBe('escalate');
      }),
      { numRuns: 300 },
    );
  });
});
