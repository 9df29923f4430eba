import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ERROR_TABLE, type ErrorCode } from '../../src/domain/errors.js';
import type { Task } from '../../src/domain/task.js';
import type { SettledVisit } from '../../src/ports/telemetry.js';
import { KNOWN, KNOWN_CORES, SPELLINGS } from '../telemetry/canaries.js';
import { checkExposition } from '../telemetry/check-exposition.js';
import { BOOT_ID, listeningTelemetry, taskOf, visitOf } from '../telemetry/harness.js';

/** Control characters, quotes and letters from everywhere, without building the table of all code points. */
const ANY_TEXT = fc.oneof(
  fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 }),
  fc.constantFrom('é', '漢', '😀', '\u2028'),
);

const codes = Object.keys(ERROR_TABLE) as ErrorCode[];

const tasks: fc.Arbitrary<Task> = fc
  .record({
    id: fc.uuid(),
    jobId: fc.option(fc.uuid()),
    requestId: fc.uuid(),
    targetUrl: fc.webUrl({ withQueryParameters: true, withFragments: true }),
    domain: fc.domain(),
    targetType: fc.constantFrom('job_posting', 'company_website', 'linkedin_profile'),
    attempts: fc.nat(3),
    traceparent: fc.option(fc.string()),
  })
  .map(taskOf);

const visits: fc.Arbitrary<SettledVisit> = fc
  .record({
    task: tasks,
    end: fc.constantFrom('completed' as const, 'failed' as const, 'retried' as const),
    code: fc.constantFrom(...codes, null),
    reason: fc.option(fc.string()),
    cause: fc.anything(),
    durationMs: fc.double(),
    proxyUsed: fc.string(),
    renderedBy: fc.constantFrom('http' as const, 'browser' as const, null),
    fieldsExtracted: fc.array(fc.string(), { maxLength: 20 }),
  })
  .map(visitOf);

const anything = fc.object({
  maxDepth: 3,
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withTypedArray: true,
  withObjectString: true,
  values: [fc.string(), fc.double(), fc.string({ unit: ANY_TEXT }), fc.constant('long '.repeat(2_000))],
});

describe('telemetry', () => {
  it('Property 38: every log entry is JSON with its words, and those of failed and completed tasks with theirs', () => {
    const level = fc.constantFrom('debug' as const, 'info' as const, 'warn' as const, 'error' as const);
    fc.assert(
      fc.property(level, anything, fc.string({ unit: ANY_TEXT }), visits, (method, fields, message, visit) => {
        const { telemetry, pino, lines, entries } = listeningTelemetry();
        telemetry.log[method](fields, message);
        pino.child({ request_id: 'bound' })[method](fields, message);
        telemetry.visitSettled(visit);

        expect(lines).toHaveLength(3);
        for (const line of lines) expect(line.indexOf('\n')).toBe(line.length - 1);
        for (const entry of entries()) {
          expect(typeof entry.request_id).toBe('string');
          expect(entry.level).toMatch(/^(?:debug|info|warn|error)$/);
          expect(new Date(entry.timestamp as string).toISOString()).toBe(entry.timestamp);
          expect(typeof entry.message).toBe('string');
        }
        const [first, second, settled] = entries() as [object, object, object];
        expect(first).toMatchObject({
          level: method,
          request_id: Object.hasOwn(fields, 'request_id') ? expect.any(String) : BOOT_ID,
        });
        expect(second).toMatchObject({ level: method, request_id: 'bound' });
        expect(settled).toMatchObject({ request_id: visit.task.requestId, task_id: visit.task.id });
        const words =
          visit.end === 'completed'
            ? ['target_domain', 'duration_ms', 'fields_extracted']
            : ['target_url', 'proxy_used', 'error_reason'];
        expect(Object.keys(settled)).toEqual(expect.arrayContaining(words));
      }),
      { numRuns: 200 },
    );
  });

  it('Property 39: no log entry and no metric holds a credential, a token or anything of a scraped page', async () => {
    const secrets = fc.oneof(
      fc.constantFrom(...Object.values(KNOWN)),
      fc.string({ minLength: 8, maxLength: 30 }).filter((text) => /[^\s[\]"\\]{6}/.test(text)),
    );
    const spelling = fc.constantFrom('raw', 'base64', 'base64url', 'base64 of user:password', 'URL-encoded');
    const personal = fc.uuid().map((id) => `Ada-${id}@page.example`);
    const place = fc.constantFrom(...Object.keys(PLACES));
    await fc.assert(
      fc.asyncProperty(
        secrets,
        spelling,
        personal,
        place,
        fc.constantFrom(...codes),
        async (secret, how, pii, where, code) => {
          const { telemetry, pino, scrubber, lines, entries, metricsText, httpRequest } = listeningTelemetry();
          scrubber.add(secret);
          const spelled = SPELLINGS[how]!(secret);
          const fields = PLACES[where]!(spelled);
          const task = taskOf({
            targetUrl: `https://example.com/${spelled}?q=${spelled}`,
            domain: spelled,
            result: { name: pii, list: [{ email: pii }] },
          });

          telemetry.log.debug(fields, `said ${spelled}`);
          telemetry.log.info({ task, body: { email: pii }, page: { html: `<p>${pii}</p>` } }, 'a whole task');
          pino.child(fields).error(new Error(spelled, { cause: fields }), 'in a child');
          telemetry.taskAccepted(task);
          telemetry.taskCancelled(task);
          telemetry.escalated(task, spelled);
          telemetry.visitSettled(visitOf({ task, fieldsExtracted: ['name', 'list'] }));
          telemetry.visitSettled(visitOf({ task, end: 'failed', code, reason: `at ${spelled}`, proxyUsed: spelled }));
          telemetry.visitSettled(visitOf({ task, end: 'failed', code: 'extraction_failed', cause: new Error(pii) }));
          telemetry.guardWaited(spelled, 5);
          telemetry.browserRetired(spelled);
          httpRequest({ method: 'GET', route: `/${spelled}`, status: 200, durationMs: 1 });

          const text = await metricsText();
          checkExposition(text);
          const shown = [
            ...entries().flatMap(stringsIn),
            ...checkExposition(text).flatMap((sample) => Object.values(sample.labels)),
          ];
          const leaks = shown.filter(
            (each) => each.replaceAll('[redacted]', '').includes(spelled) || each.includes(pii),
          );
          expect(leaks).toEqual([]);
          // The canaries are also looked for in the bytes themselves, by the part of them that is the secret.
          const bytes = lines.join('') + text;
          for (const core of KNOWN_CORES.filter((each) => secret.includes(each))) {
            expect(bytes.toLowerCase()).not.toContain(SPELLINGS[how]!(core).toLowerCase());
            expect(bytes).not.toContain(core);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

const PLACES: Record<string, (value: string) => object> = {
  headers: (value) => ({ headers: { accept: value, Cookie: value, 'X-Service-Key': value } }),
  'nested body': (value) => ({ a: { b: { c: { d: value } } } }),
  array: (value) => ({ list: [[value], 'x', value] }),
  key: (value) => ({ map: { [value]: { [value]: 1 } } }),
  error: (value) => ({ err: new Error(`failed: ${value}`, { cause: new Error(value) }) }),
  stack: (value) => ({ err: Object.assign(new Error('x'), { stack: `Error: x\n    at ${value}` }) }),
  'JSON text': (value) => ({ text: JSON.stringify({ note: value, deeper: JSON.stringify({ note: value }) }) }),
};

/** Every string of an entry, keys included. */
function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [key, ...stringsIn(each)]);
}
