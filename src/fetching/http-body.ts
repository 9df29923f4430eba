import { pipeline, Readable, type Transform } from 'node:stream';
import zlib from 'node:zlib';
import { GleanerError } from '../domain/errors.js';

export interface BodyLimits {
  maxBytes: number;
  /** What to do with more than that: fail with `body_too_large`, or be content with the beginning. */
  overflow: 'fail' | 'cut';
  host: string;
  /** Aborts when what has come must do; the rest is then left out. */
  enough?: AbortSignal;
}

/** Reads a body to its end, decoded. The limit holds for the bytes received and for the bytes they unpack to. */
export async function readBody(
  body: AsyncIterable<Buffer>,
  encoding: string | undefined,
  limits: BodyLimits,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of decoded(untilEnough(body, limits.enough), encoding, limits)) {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= limits.maxBytes) continue;
      if (limits.overflow === 'fail') throw tooLarge(limits);
      break;
    }
  } catch (error) {
    // Packed bytes that end early cannot all be unpacked.
    if (!limits.enough?.aborted) throw error;
  }
  return Buffer.concat(chunks).subarray(0, limits.maxBytes);
}

async function* untilEnough(body: AsyncIterable<Buffer>, enough: AbortSignal | undefined): AsyncGenerator<Buffer> {
  if (!enough) return yield* body;
  const over = new Promise<{ done: true }>((resolve) => {
    enough.addEventListener('abort', () => resolve({ done: true }), { once: true });
  });
  const chunks = body[Symbol.asyncIterator]();
  while (!enough.aborted) {
    const next = await Promise.race([chunks.next(), over]);
    if (next.done) return;
    yield next.value;
  }
}

export const tooLarge = ({ host, maxBytes }: { host: string; maxBytes: number }): GleanerError =>
  new GleanerError('body_too_large', `The answer of ${host} is larger than ${maxBytes} bytes.`);

/** `zstd` came to Node with version 22.15; it is asked for only where it can be read. */
const createZstdDecompress: unknown = Reflect.get(zlib, 'createZstdDecompress');

export const ACCEPT_ENCODING = createZstdDecompress ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br';

const MAX_LAYERS = 2;

function decoded(body: AsyncIterable<Buffer>, encoding: string | undefined, limits: BodyLimits): AsyncIterable<Buffer> {
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length === 0) return body;
  if (names.length > MAX_LAYERS || !names.every(isKnownEncoding)) {
    throw new GleanerError('unsupported_content', `${limits.host} answered in the encoding "${names.join(', ')}".`);
  }
  // The last encoding named was applied last, so it comes off first.
  return names.reduceRight((source, name) => unpacked(source, name), metered(body, limits));
}

async function* metered(body: AsyncIterable<Buffer>, limits: BodyLimits): AsyncGenerator<Buffer> {
  // What unpacks to nothing could be sent for ever. Where the rest is cut, more may be under way than is read.
  const most = limits.overflow === 'fail' ? limits.maxBytes : 2 * limits.maxBytes;
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > most) throw tooLarge(limits);
    yield chunk;
  }
}

async function* unpacked(source: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const iterator = source[Symbol.asyncIterator]();
  const first = await iterator.next();
  // Nothing is nothing in every encoding, and servers do label empty bodies.
  if (first.done) return;
  const decoder = decoderFor(name, first.value);
  // The pipeline hands errors on in both directions, and ends the source when reading stops early.
  pipeline(Readable.from(startingWith(first.value, iterator)), decoder, () => {});
  try {
    yield* decoder;
  } finally {
    decoder.destroy();
  }
}

async function* startingWith(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

const isKnownEncoding = (name: string): boolean =>
  ['gzip', 'x-gzip', 'deflate', 'br'].includes(name) || (name === 'zstd' && createZstdDecompress !== undefined);

function decoderFor(name: string, start: Buffer): Transform {
  if (name === 'br') return zlib.createBrotliDecompress();
  if (name === 'zstd') return (createZstdDecompress as () => Transform)();
  if (name !== 'deflate') return zlib.createGunzip();
  // Half the servers that say deflate mean zlib, as the standard does; the other half send it bare.
  const isZlib = (start[0]! & 0x0f) === 8 && (start.length < 2 || start.readUInt16BE(0) % 31 === 0);
  return isZlib ? zlib.createInflate() : zlib.createInflateRaw();
}
