import { describe, expect, it } from 'vitest';
import { certainlyIn } from './certain.js';
import { createChance } from './chance.js';
import { percentile, slopePer100 } from './figures.js';
import { leaksBetween, numbersIn } from './resting.js';
import { memoryOf, waitsOf } from './soak-report.js';
import { chooseKinds, KINDS } from './strikes.js';

describe('the figures of a run', () => {
  it('has the middle and the slow end of what was measured', () => {
    const hundred = Array.from({ length: 100 }, (_, n) => 100 - n);
    expect(percentile(hundred, 0.5)).toBe(51);
    expect(percentile(hundred, 0.99)).toBe(100);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it('has the growth for a hundred tasks, whatever the noise around it', () => {
    const growing = [0, 100, 200, 300].map((tasks) => ({ tasks, mb: 50 + tasks / 50 }));
    expect(slopePer100(growing)).toBeCloseTo(2);
    expect(slopePer100(growing.map(({ tasks }) => ({ tasks, mb: 80 })))).toBe(0);
    expect(slopePer100([{ tasks: 1, mb: 1 }])).toBeNaN();
  });
});

describe('the report of a soak', () => {
  it('leaves the warm-up out of the growth', () => {
    const samples = Array.from({ length: 100 }, (_, n) => ({ tasks: n * 10, mb: n < 20 ? n * 50 : 1_000 }));
    expect(memoryOf(samples)).toEqual({ slope: 0, warmMb: 1_000, lastMb: 1_000 });
  });

  it('tells apart the waits of healthy domains by phase and by what brought the page', () => {
    const task = { id: '', jobId: null, isSound: true, isTold: false, requestsPerVisit: 1 };
    const tasks = [
      { ...task, url: 'http://good/a', needsBrowser: false },
      { ...task, url: 'http://good/b', needsBrowser: true },
      { ...task, url: 'http://bad/c', needsBrowser: false },
    ];
    const waits = [
      { url: 'http://good/a', createdAt: 1, waitMs: 5 },
      { url: 'http://good/b', createdAt: 10, waitMs: 7 },
      { url: 'http://bad/c', createdAt: 1, waitMs: 1_000 },
    ];
    const { calm, faulty } = waitsOf(waits, { tasks, hosts: ['good'], faultyFrom: 10 });
    expect(calm).toMatchObject({ http: { count: 1, p50: 5 }, browser: { count: 0 } });
    expect(faulty).toMatchObject({ http: { count: 0 }, browser: { count: 1, p99: 7 } });
  });
});

describe('what a service holds at rest', () => {
  it('has leaked what is more than before, be it new or grown', () => {
    const found = leaksBetween({ browsers: 1, zombies: 0 }, { browsers: 2, zombies: 0, 'temp directories': 1 });
    expect(found.map(({ what }) => what)).toEqual([
      'browsers: 2 at rest, 1 before the load',
      'temp directories: 1 at rest, 0 before the load',
    ]);
  });

  it('has leaked nothing where it is the same or less, or comes and goes by itself', () => {
    expect(leaksBetween({ browsers: 2, sockets: 5 }, { browsers: 1, sockets: 9 })).toEqual([]);
    expect(leaksBetween({ sockets: 5 }, { sockets: 10 })).toHaveLength(1);
  });

  it('takes every number that the service says, however deep', () => {
    expect(numbersIn({ pages: 1, of: { pool: 2, name: 'x' }, none: null }, 'leaks')).toEqual({
      'leaks.pages': 1,
      'leaks.of.pool': 2,
    });
  });
});

describe('the choice of blows', () => {
  it('is the same for the same seed, and another for another', () => {
    const kinds = (seed: number) => chooseKinds(40, createChance(seed));
    expect(kinds(7)).toEqual(kinds(7));
    expect(kinds(7)).not.toEqual(kinds(8));
  });

  it('holds every kind in each ten', () => {
    const kinds = chooseKinds(20, createChance(3));
    for (const ten of [kinds.slice(0, 10), kinds.slice(10)]) expect(new Set(ten).size).toBe(Object.keys(KINDS).length);
  });

  it('is certain of pages that a browser has asked for and the website has yet to answer', () => {
    const task = (id: string, needsBrowser = true) => ({
      id,
      url: `http://site/slow?ms=1000&t=${id}`,
      jobId: null,
      isSound: true,
      isTold: false,
      needsBrowser,
      requestsPerVisit: 1,
    });
    const asked = (id: string, at: number) => ({ host: 'site', path: `/slow?ms=1000&t=${id}`, at });
    const tasks = [task('a'), task('b'), task('c'), task('d', false), task('e')];
    const requests = [asked('a', 500), asked('b', 50), asked('c', 950), asked('d', 500)];
    expect(certainlyIn(tasks, requests, 1_000)).toEqual(new Set(['a']));
  });
});
