/**
 * A register of cases on loopback. What becomes of a case depends on its number alone:
 *
 *   n % 10 = 3        no such case, said on a page      n % 50 = 9   no such case, said by a 404
 *   n % 20 = 7        503 the first time, then a record
 *   n % 40 = 11       broken for ever (a page that is neither)
 *   n % 25 = 4        a record, after `slowMs`
 *   everything else   a record
 *
 * A case is at /case/IMM-N-YY, and behind a form that is posted to /search?lang=en (`court`, `file`).
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { CaseDescription } from '../../src/domain/case-adapter.js';

export const COURT: CaseDescription = {
  name: 'court',
  prefix: 'IMM',
  url: 'http://127.0.0.1/case/{id}',
  form: null,
  render: 'http',
  found: { selectors: ['#proceeding'], texts: [] },
  noRecord: { selectors: [], texts: ['no proceeding was found'], statuses: [404] },
  broken: { selectors: [], texts: ['temporarily unavailable'] },
  fields: {
    case_number: { selector: '#proceeding .number', attribute: null },
    title: { selector: '#proceeding h1', attribute: null },
    filed_on: { selector: '#proceeding time', attribute: 'datetime' },
  },
};

export const courtYaml = (origin: string): string => `case_records:
  court:
    prefix: IMM
    url: ${origin}/case/{id}
    render: http
    found: { selector: "#proceeding" }
    no_record: { text: no proceeding was found, statuses: [404] }
    broken: { text: temporarily unavailable }
    fields:
      case_number: "#proceeding .number"
      title: "#proceeding h1"
      filed_on: { selector: "#proceeding time", attribute: datetime }
`;

/** The same register, behind its form. */
export const courtFormYaml = (origin: string, render = 'http'): string =>
  courtYaml(origin)
    .replace(/url: .*/, `form: { action: "${origin}/search?lang=en", fields: { court: T, file: "{id}" } }`)
    .replace('render: http', `render: ${render}`);

export type Fate = 'success' | 'no-record' | 'failed';

export function fateOf(number: number): Fate {
  if (number % 10 === 3 || number % 50 === 9) return 'no-record';
  return number % 40 === 11 ? 'failed' : 'success';
}

export const recordPage = (id: string): string =>
  `<!doctype html><html><head><title>${id}</title></head><body><main id="proceeding"><h1>Re: the matter of ${id}</h1>
   <p class="number">${id}</p><time datetime="2025-02-03">3 February 2025</time></main></body></html>`;
export const noRecordPage = '<!doctype html><html><body><p>Sorry, no proceeding was found.</p></body></html>';
export const brokenPage =
  '<!doctype html><html><body><h1>Search</h1><p>The register is temporarily unavailable.</p></body></html>';

export interface Court {
  origin: string;
  /** Numbers of the cases asked for, in order. */
  asked: { number: number; at: number }[];
  close(): Promise<void>;
}

async function caseOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const form = new URLSearchParams(Buffer.concat(chunks).toString());
  if (request.method === 'POST') {
    return request.url === '/search?lang=en' && form.get('court') === 'T' ? (form.get('file') ?? '') : '';
  }
  return /^\/case\/(.*)$/.exec(request.url ?? '')?.[1] ?? '';
}

/** `baseMs`: how long every answer takes. */
export async function startCourt({ slowMs = 200, baseMs = 0 } = {}): Promise<Court> {
  const asked: Court['asked'] = [];
  const seen = new Set<number>();
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const id = await caseOf(request);
    const number = Number(/^IMM-(\d+)-\d\d$/.exec(id)?.[1] ?? Number.NaN);
    const html = (status: number, text: string): void => {
      const answer = (): void => void response.writeHead(status, { 'content-type': 'text/html' }).end(text);
      if (baseMs === 0) answer();
      else setTimeout(answer, baseMs);
    };
    response.on('error', () => {});
    if (Number.isNaN(number)) return html(404, 'nothing here');
    asked.push({ number, at: performance.now() });
    const isFirst = !seen.has(number);
    seen.add(number);
    if (number % 50 === 9) return html(404, 'nothing here');
    if (number % 10 === 3) return html(200, noRecordPage);
    if (number % 40 === 11) return html(200, brokenPage);
    if (number % 20 === 7 && isFirst) return html(503, 'busy');
    if (number % 25 === 4) return void setTimeout(() => html(200, recordPage(id)), slowMs);
    html(200, recordPage(id));
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
