// Writes openapi.yaml from the route schemas; with --check only compares, and fails when the file is out of date.
import { readFile, writeFile } from 'node:fs/promises';

const root = new URL('../', import.meta.url);
const file = new URL('openapi.yaml', root);

const current = await describe();
if (!process.argv.includes('--check')) {
  await writeFile(file, current);
  console.log('openapi.yaml written');
} else if (current !== (await readFile(file, 'utf8').catch(() => ''))) {
  console.error('openapi.yaml is out of date: run `node scripts/openapi.mjs`.');
  process.exitCode = 1;
} else {
  console.log('openapi.yaml is up to date');
}

async function describe() {
  const load = await loader();
  const { createRegistry } = await load('adapters/registry');
  const { buildDocumentationApp } = await load('http/documentation-app');
  const { openapiYaml } = await load('http/openapi');
  const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));
  const app = await buildDocumentationApp(createRegistry(), version);
  const yaml = openapiYaml(app);
  await app.close();
  return yaml;
}

/** The sources where they can be run, for a build may be older than they are; else the build. */
async function loader() {
  try {
    const { tsImport } = await import('tsx/esm/api');
    return (name) => tsImport(new URL(`src/${name}.ts`, root).href, import.meta.url);
  } catch {
    return (name) => import(new URL(`dist/${name}.js`, root).href);
  }
}
