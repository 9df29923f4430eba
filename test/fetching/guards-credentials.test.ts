import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ErrorCode, GleanerError } from '../../src/domain/errors.js';
import { Secret } from '../../src/domain/secret.js';
import { type CredentialClient, createCredentials } from '../../src/fetching/credentials.js';
import { createCredentialsGuard } from '../../src/fetching/guards/credentials-guard.js';
import type { Verdict, VisitPlan } from '../../src/ports/guard.js';
import { answering, type CredentialBackend, startCredentialBackend } from '../support/credential-backend.js';
import { QuietTelemetry } from '../support/quiet-telemetry.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { visitPlan } from '../support/visit-plan.js';

let backend: CredentialBackend;
let clock: VirtualClock;
let credentials: CredentialClient;

beforeAll(async () => {
  backend = await startCredentialBackend();
});
afterAll(() => backend.close());
beforeEach(() => {
  backend.requests = [];
  backend.reply = answering(200, { cookies: { li_at: 'one' } });
  clock = new VirtualClock();
  credentials = connect();
});
afterEach(() => credentials.close());

const connect = (cacheTtlMs = 300_000): CredentialClient =>
  createCredentials({
    baseUrl: backend.baseUrl,
    serviceKey: new Secret('backend-key'),
    cacheTtlMs,
    maxRetries: 1,
    inUseMs: 60_000,
    clock,
    log: new QuietTelemetry().log,
  });

const guardOf = (from: CredentialClient | null = credentials) => createCredentialsGuard({ credentials: from, clock });

const plan = (given: Partial<VisitPlan> = {}) =>
  visitPlan('https://www.linkedin.com/in/x', { provider: 'linkedin', workspaceId: 'ws', ...given });

const check = async (given: VisitPlan, from: CredentialClient | null = credentials): Promise<Verdict> =>
  guardOf(from).check(given, new AbortController().signal);

const requestsSeen = (count: number) => expect.poll(() => backend.requests.length, { interval: 2 }).toBe(count);

describe('the credentials guard', () => {
  it('lets a visit that needs none, and any where no API is configured, go without', async () => {
    const stale = await credentials.get('ws', 'linkedin', new AbortController().signal);
    backend.requests = [];
    for (const [given, from] of [
      [plan({ provider: null, credential: stale }), credentials],
      [plan({ credential: stale }), null],
    ] as const) {
      expect(await check(given, from)).toEqual({ kind: 'go' });
      expect(given.credential).toBe(null);
    }
    expect(backend.requests).toEqual([]);
  });

  it('fills in the credential of the workspace', async () => {
    const given = plan();
    expect(await check(given)).toEqual({ kind: 'go' });
    expect(given.credential).toMatchObject({ provider: 'linkedin', cookies: [{ name: 'li_at' }] });
    expect(backend.requests[0]!.path).toMatch(/\/workspaces\/ws\/credentials\/linkedin$/);
    await check(plan());
    expect(backend.requests).toHaveLength(1);
    await check(plan({ workspaceId: 'other' }));
    expect(backend.requests).toHaveLength(2);
  });

  it.each([0, 300_000])(
    'keeps no worker waiting for a slow API: the task comes back for the answer (TTL %i ms)',
    async (ttlMs) => {
      await credentials.close();
      credentials = connect(ttlMs);
      let answer = (): void => {};
      backend.reply = (request, response) => {
        answer = () => answering(200, { cookies: { li_at: 'late' } })(request, response);
      };
      const given = plan();
      const verdict = check(given);
      await requestsSeen(1);
      await clock.advance(500);
      expect(await verdict).toEqual({
        kind: 'wait',
        until: 1000,
        reason: 'the credentials are being fetched',
        holds: 'task',
      });
      expect(given.credential).toBe(null);
      answer();
      // It arrives while nobody is there.
      await new Promise((resolve) => setTimeout(resolve, 100));
      await expect.poll(async () => Promise.race([check(given), clock.advance(500)])).toEqual({ kind: 'go' });
      expect(given.credential?.cookies.map(({ value }) => value.reveal())).toEqual(['late']);
      expect(backend.requests).toHaveLength(1);
      expect(clock.pendingTimers).toBe(1);
    },
  );

  it('refuses where the workspace has none', async () => {
    backend.reply = answering(404, {});
    expect(await check(plan())).toMatchObject({ kind: 'no', error: { code: 'credentials_missing' } });
  });

  it('refuses where the API cannot be asked, though the task has to come back to hear it', async () => {
    backend.reply = answering(500, {});
    const verdict = check(plan());
    await requestsSeen(1);
    await clock.advance(500);
    expect(await verdict).toMatchObject({ kind: 'wait' });
    // Let the retry happen, and fail, while nobody is listening.
    await expect.poll(() => clock.advance(500).then(() => backend.requests.length)).toBe(2);
    await expect
      .poll(async () => Promise.race([check(plan()), clock.advance(500)]))
      .toMatchObject({
        kind: 'no',
        error: { code: 'credentials_unavailable', retryable: true },
      });
    expect(backend.requests).toHaveLength(2);
  });

  it('ends with the visit', async () => {
    backend.reply = () => {};
    const visit = new AbortController();
    const verdict = guardOf().check(plan(), visit.signal);
    visit.abort(new GleanerError('shutting_down', 'The service is stopping.'));
    expect(await verdict).toMatchObject({ kind: 'no', error: { code: 'shutting_down' } });
    expect(clock.pendingTimers).toBe(1);
  });

  const fault = (code: ErrorCode, httpStatus?: number) =>
    new GleanerError(code, 'x', httpStatus === undefined ? {} : { httpStatus });

  it.each([
    ['a block page', true, fault('blocked_page')],
    ['a login wall', true, fault('login_wall')],
    ['a 401', true, fault('target_client_error', 401)],
    ['a 403', true, fault('target_client_error', 403)],
    ['a 404', false, fault('target_client_error', 404)],
    ['a 429', false, fault('rate_limited', 429)],
    ['a 503', false, fault('target_server_error', 503)],
    ['a timeout', false, fault('target_timeout')],
    ['success', false, null],
  ])('after %s asks for newer ones: %s', async (_, asksAnew, error) => {
    const guard = guardOf();
    const [first, second] = [plan(), plan()];
    await guard.check(first, new AbortController().signal);
    await guard.check(second, new AbortController().signal);
    for (const each of [first, second]) {
      guard.after?.(each, { error });
      await check(plan());
    }
    // Two visits with the same credential are one reason.
    expect(backend.requests).toHaveLength(asksAnew ? 2 : 1);
  });

  it('hears of visits without a credential, and of an API that is not there', () => {
    guardOf().after?.(plan(), { error: fault('blocked_page') });
    guardOf(null).after?.(plan(), { error: fault('blocked_page') });
    expect(backend.requests).toEqual([]);
  });
});
