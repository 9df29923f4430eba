import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadSettings, SettingsError, webhookSecrets } from '../../src/config.js';
import { webhookHeaders } from '../../src/domain/webhook-signature.js';
import { verify } from '../../src/webhook.js';
import { tempDir } from '../support/temp-dir.js';

let dir: ReturnType<typeof tempDir>;
beforeEach(() => {
  dir = tempDir('webhook-secret');
});
afterEach(() => dir.remove());

const configured = (secrets: string) => loadSettings({ SCRAPER_WEBHOOK_SECRET: secrets, SCRAPER_DATA_DIR: dir.path });
const generated = () => webhookSecrets(loadSettings({ SCRAPER_DATA_DIR: dir.path }));
const file = () => join(dir.path, 'webhook-secret');

/** What is thrown, as it would be printed. */
const complaint = (start: () => unknown): string => {
  try {
    start();
  } catch (error) {
    if (error instanceof SettingsError) return error.message + JSON.stringify(error.faults);
    throw error;
  }
  throw new Error('it started');
};

describe('configured webhook secrets', () => {
  it('are a list, newest first, and then no file is written', () => {
    const settings = configured('whsec_bmV3LXNlY3JldA==, a passphrase by hand ,old-secret,');
    const secrets = ['whsec_bmV3LXNlY3JldA==', 'a passphrase by hand', 'old-secret'];
    expect(settings.webhookSecret).toEqual(secrets);
    expect(Object.isFrozen(settings.webhookSecret)).toBe(true);
    expect(webhookSecrets(settings)).toEqual({ secrets, file: null });
    expect(readdirSync(dir.path)).toEqual([]);
  });

  it('need no default URL, and a default URL needs none', () => {
    const url = 'https://hooks.example/in';
    expect(loadSettings({ SCRAPER_DEFAULT_WEBHOOK_URL: url })).toMatchObject({
      defaultWebhookUrl: url,
      webhookSecret: [],
    });
    expect(configured('long-enough')).toMatchObject({ defaultWebhookUrl: null, webhookSecret: ['long-enough'] });
  });

  it.each([
    '1234567',
    'whsec_',
    'whsec_QUJD',
    'whsec_not base64 at all',
    'whsec_bmV3LXNlY3JldA',
    'long-enough,short',
    'tab\tinside',
  ])('cannot be %j, and the fault does not show it', (secrets) => {
    const told = complaint(() => configured(secrets));
    expect(told).toContain('SCRAPER_WEBHOOK_SECRET: received (hidden), wished: a comma-separated list of secrets');
    for (const secret of secrets.split(',').filter((one) => one !== 'whsec_')) expect(told).not.toContain(secret);
  });

  it('are usable whenever they are accepted', () => {
    const content = { id: 'evt_1', timestamp: 1, attempt: 1, event: 'ping', body: '{}' };
    fc.assert(
      fc.property(fc.constantFrom('', 'whsec_'), fc.oneof(fc.string(), fc.base64String()), (prefix, text) => {
        const secrets = accepted(prefix + text);
        if (secrets.length === 0) return;
        expect(verify(webhookHeaders(content, secrets), '{}', secrets, { now: () => 1_000 }).id).toBe('evt_1');
      }),
    );
  });
});

describe('a generated webhook secret', () => {
  it('is made once, readable only by its owner, and used again by later starts', () => {
    const first = generated();
    expect(first.file).toBe(file());
    expect(first.secrets).toHaveLength(1);
    expect(first.secrets[0]).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(readFileSync(file(), 'utf8')).toBe(`${first.secrets[0]}\n`);
    expect(generated()).toEqual(first);
    expect(readdirSync(dir.path)).toEqual(['webhook-secret']);
  });

  it('can be rotated in its file as in the variable', () => {
    const [old] = generated().secrets;
    writeFileSync(file(), `whsec_bmV3LXNlY3JldA==,${old}\n`);
    expect(generated().secrets).toEqual(['whsec_bmV3LXNlY3JldA==', old]);
  });

  it.each(['short', 'whsec_%%%%%%%%%%', '\n', 'one-secret\nand-another', Buffer.alloc(32, 0xfe)])(
    'is refused when the file holds %j, without showing it',
    (content) => {
      writeFileSync(file(), content);
      const told = complaint(generated);
      expect(told).toContain(`${file()}: received (hidden), wished: a comma-separated list of secrets`);
      expect(told).toContain('or no such file');
      const text = content.toString().trim();
      if (text !== '') expect(told).not.toContain(text);
      expect(readFileSync(file())).toEqual(Buffer.from(content as string));
    },
  );

  it('is not replaced when it cannot be read: receivers have the one that is there', () => {
    mkdirSync(file());
    expect(complaint(generated)).toContain(`${file()}: received EISDIR, wished: a file that can be read`);
  });
});

/** None where they are refused. */
function accepted(secrets: string): readonly string[] {
  try {
    return configured(secrets).webhookSecret;
  } catch {
    return [];
  }
}
