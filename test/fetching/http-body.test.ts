import { randomBytes } from 'node:crypto';
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type BodyLimits, readBody } from '../../src/fetching/http-body.js';

const MB = 1_000_000;
const limits = (over: Partial<BodyLimits> = {}): BodyLimits => ({
  maxBytes: 10 * MB,
  overflow: 'fail',
  host: 'site.test',
  ...over,
});

const PACKERS: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: (bytes) => zlib.gzipSync(bytes),
  deflate: (bytes) => zlib.deflateSync(bytes),
  'deflate, gzip': (bytes) => zlib.gzipSync(zlib.deflateRawSync(bytes)),
  br: (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } }),
};
const ENCODINGS = Object.keys(PACKERS);
const packed = (encoding: string, bytes: Buffer): Buffer => PACKERS[encoding]?.(bytes) ?? bytes;

/** In pieces, as they come from a socket; `left` tells how many nobody has taken. */
function sent(bytes: Buffer, size = 16_000) {
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  );
  const body = { left: pieces.length, isLetGo: false };
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      for (const piece of pieces) {
        body.left -= 1;
        yield piece;
      }
    } finally {
      body.isLetGo = true;
    }
  }
  return Object.assign(body, { chunks: chunks() });
}

describe.each(ENCODINGS)('a body in %s', (encoding) => {
  it.each([
    ['nothing', 0],
    ['a little', 1],
    ['a page', 30_000],
    ['more than is unpacked at once', 2 * MB],
  ])('is read whole: %s', async (_, length) => {
    const text = Buffer.alloc(length, 'bread and butter, ');
    expect((await readBody(sent(packed(encoding, text)).chunks, encoding, limits())).equals(text)).toBe(true);
  });

  it('is read whole where it hardly gets shorter', async () => {
    for (const length of [60_000, 66_000, 400_000]) {
      const noise = randomBytes(length);
      expect((await readBody(sent(packed(encoding, noise)).chunks, encoding, limits())).equals(noise)).toBe(true);
    }
  });

  it('is no page where its end is missing, be it short or long', async () => {
    for (const length of [1_000, 400_000]) {
      const whole = packed(encoding, randomBytes(length));
      await expect(readBody(sent(whole.subarray(0, -20)).chunks, encoding, limits())).rejects.toThrow();
    }
  });

  it('may not unpack to more than the limit, however short it is', async () => {
    const bomb = sent(packed(encoding, Buffer.alloc(20 * MB)));
    await expect(readBody(bomb.chunks, encoding, limits())).rejects.toMatchObject({ code: 'body_too_large' });
    const small = sent(packed(encoding, Buffer.alloc(3_000)));
    await expect(readBody(small.chunks, encoding, limits({ maxBytes: 2_000 }))).rejects.toMatchObject({
      code: 'body_too_large',
    });
  });

  it('is cut at the limit where its beginning will do', async () => {
    for (const length of [3_000, 3 * MB]) {
      const bytes = await readBody(
        sent(packed(encoding, Buffer.alloc(length, 'x'))).chunks,
        encoding,
        limits({ maxBytes: 2_000, overflow: 'cut' }),
      );
      expect(bytes).toEqual(Buffer.alloc(2_000, 'x'));
    }
  });
});

describe('a body', () => {
  it('that is one piece and not packed is not copied', async () => {
    const piece = Buffer.from('<p>bread</p>');
    expect((await readBody(sent(piece).chunks, undefined, limits())).buffer).toBe(piece.buffer);
  });

  it('that is too long is let go at once, packed or not', async () => {
    for (const encoding of [undefined, 'gzip']) {
      const noise = randomBytes(MB);
      const long = sent(encoding ? zlib.gzipSync(noise) : noise);
      await expect(readBody(long.chunks, encoding, limits({ maxBytes: 100_000 }))).rejects.toMatchObject({
        code: 'body_too_large',
      });
      await expect.poll(() => long.isLetGo).toBe(true);
      expect(long.left).toBeGreaterThan(20);
    }
  });

  it('in an encoding nobody knows, or in too many, is not read', async () => {
    for (const encoding of ['rot13', 'gzip, gzip, gzip']) {
      await expect(readBody(sent(Buffer.from('x')).chunks, encoding, limits())).rejects.toMatchObject({
        code: 'unsupported_content',
      });
    }
  });

  it('ends where enough of it is there, as far as it can be unpacked', async () => {
    const enough = new AbortController();
    async function* chunks(): AsyncGenerator<Buffer> {
      yield zlib.gzipSync(randomBytes(200_000)).subarray(0, 100_000);
      enough.abort();
      await new Promise(() => {});
    }
    const bytes = await readBody(chunks(), 'gzip', limits({ enough: enough.signal }));
    expect(bytes.length).toBeLessThan(200_000);
  });
});
