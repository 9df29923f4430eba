import { dirname, join, normalize } from 'node:path/posix';
import ts from 'typescript';

/** A source file: its path inside `src` and its text. */
export interface Source {
  path: string;
  text: string;
}

interface Room {
  may: string[];
  /** Rooms of which only types may be imported. */
  mayTypes?: string[];
  /** No I/O of its own: what it needs of the world comes through arguments. */
  isPure?: boolean;
  /** Time and chance are arguments. */
  isTimeless?: boolean;
}

/** The table of ARCHITECTURE.md. Every room may import itself; files directly in `src` may import everything. */
export const ROOMS: Record<string, Room> = {
  domain: { may: [], isPure: true, isTimeless: true },
  ports: { may: ['domain'], isPure: true, isTimeless: true },
  engine: { may: ['domain', 'ports'], isPure: true, isTimeless: true },
  plans: { may: ['domain'], mayTypes: ['ports'], isPure: true, isTimeless: true },
  adapters: { may: ['domain'], isPure: true },
  fetching: { may: ['domain', 'ports'] },
  store: { may: ['domain', 'ports'] },
  backends: { may: ['domain', 'ports', 'store'] },
  telemetry: { may: ['domain', 'ports'] },
  http: { may: ['domain'], mayTypes: ['ports', 'engine'] },
  cli: { may: ['domain'], mayTypes: ['ports', 'engine'] },
};

/** Libraries that have one home. */
const HOMES: Record<string, string> = {
  'better-sqlite3': 'backends',
  pg: 'backends',
  ioredis: 'backends',
  bullmq: 'backends',
  playwright: 'fetching',
  'playwright-core': 'fetching',
  undici: 'fetching',
  'proxy-chain': 'fetching',
  'generic-pool': 'fetching',
  fastify: 'http',
  '@fastify/*': 'http',
};

const IO_MODULES =
  /^(child_process|cluster|dgram|dns|fs|http|http2|https|inspector|readline|repl|timers|tls|worker_threads)(\/|$)/;
/** What of node:net needs only its arguments. */
const PURE_NET = ['isIP', 'isIPv4', 'isIPv6', 'BlockList', 'SocketAddress'];

const TIMERS = ['setTimeout', 'setInterval'];
const CLOCKS = [
  'Date.now',
  'Math.random',
  'performance.now',
  'process.hrtime',
  'AbortSignal.timeout',
  'crypto.randomUUID',
];

/** Everything in this file that the table forbids, as `src/room/file.ts:12: what`. */
export function breaches({ path, text }: Source): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
  const roomName = roomOf(path);
  const room = roomName === '' ? null : ROOMS[roomName];
  if (room === undefined) return [`src/${path}:1: there is no room called ${roomName}`];

  const found: string[] = [];
  const report = (node: ts.Node, what: string) => {
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
    found.push(`src/${path}:${line + 1}: ${what}`);
  };
  const visit = (node: ts.Node): void => {
    const imported = importOf(node);
    if (imported) for (const what of importBreaches(imported, { path, roomName, room })) report(node, what);
    if (room?.isTimeless) for (const what of timeBreaches(node)) report(node, what);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

interface Import {
  from: string;
  isTypeOnly: boolean;
  /** Names imported as values; null when that is everything. */
  names: string[] | null;
}

function importOf(node: ts.Node): Import | null {
  if (ts.isImportDeclaration(node)) return ofDeclaration(node);
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
    const elements = node.exportClause && ts.isNamedExports(node.exportClause) ? node.exportClause.elements : null;
    const isTypeOnly =
      node.isTypeOnly || (elements !== null && elements.length > 0 && elements.every((e) => e.isTypeOnly));
    return { from: textOf(node.moduleSpecifier), isTypeOnly, names: elements?.map((e) => e.name.text) ?? null };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return { from: textOf(node.argument.literal), isTypeOnly: !node.isTypeOf, names: null };
  }
  const isCall = ts.isCallExpression(node) && node.arguments.length > 0;
  if (!isCall) return null;
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText() === 'require';
  return isImport ? { from: textOf(node.arguments[0]!), isTypeOnly: false, names: null } : null;
}

function ofDeclaration(node: ts.ImportDeclaration): Import {
  const from = textOf(node.moduleSpecifier);
  const clause = node.importClause;
  if (!clause) return { from, isTypeOnly: false, names: null };
  const named = clause.namedBindings && ts.isNamedImports(clause.namedBindings) ? clause.namedBindings.elements : null;
  if (clause.isTypeOnly) return { from, isTypeOnly: true, names: [] };
  if (clause.name || !named) return { from, isTypeOnly: false, names: null };
  const values = named.filter((element) => !element.isTypeOnly);
  return {
    from,
    isTypeOnly: values.length === 0,
    names: values.map((element) => (element.propertyName ?? element.name).text),
  };
}

interface Importer {
  path: string;
  roomName: string;
  room: Room | null;
}

function importBreaches(imported: Import, { path, roomName, room }: Importer): string[] {
  const { from, isTypeOnly } = imported;
  if (!from.startsWith('.')) return libraryBreaches(imported, roomName, room);
  if (!/\.(js|json)$/.test(from)) return [`imports ${from} without its ending`];
  const target = roomOf(normalize(join(dirname(path), from)));
  if (room === null || target === roomName || room.may.includes(target)) return [];
  const allowsTypes = room.mayTypes?.includes(target) ?? false;
  if (allowsTypes && isTypeOnly) return [];
  if (allowsTypes) return [`${roomName}/ may import only types of ${target}/`];
  return [`${roomName}/ may not import ${target === '' ? `src/${from.split('/').at(-1)}` : `${target}/`}`];
}

function libraryBreaches({ from, isTypeOnly, names }: Import, roomName: string, room: Room | null): string[] {
  const library = from.startsWith('@') ? from.split('/').slice(0, 2).join('/') : from.split('/')[0]!;
  const home = HOMES[library] ?? HOMES[`${library.split('/')[0]}/*`];
  // The wiring hands these things on, so it may name their types.
  const isWiring = room === null && isTypeOnly;
  if (home && home !== roomName && !isWiring) return [`${library} may be imported only in ${home}/`];
  if (!room?.isPure || isTypeOnly || !from.startsWith('node:')) return [];
  const module = from.slice('node:'.length);
  const isPureNet = module === 'net' && names !== null && names.every((name) => PURE_NET.includes(name));
  return IO_MODULES.test(module) || (module === 'net' && !isPureNet) ? [`${roomName}/ may not import ${from}`] : [];
}

/** Looked for in the syntax tree, so that a comment or a text may speak of them. */
function timeBreaches(node: ts.Node): string[] {
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length)
    return ['new Date()'];
  if (ts.isPropertyAccessExpression(node)) {
    const name = node.getText().replace(/^globalThis\./, '');
    return CLOCKS.includes(name) || TIMERS.includes(name) ? [name] : [];
  }
  if (!ts.isIdentifier(node) || !TIMERS.includes(node.text)) return [];
  // A property of that name belongs to somebody else, such as a clock that is handed in.
  const isProperty = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node;
  return isProperty ? [] : [node.text];
}

/** The first folder below `src`; empty for a file directly in it. */
const roomOf = (path: string) => (path.includes('/') ? path.split('/')[0]! : '');

const textOf = (node: ts.Node) => (ts.isStringLiteralLike(node) ? node.text : '');
