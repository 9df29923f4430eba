// Writes the table of settings into README.md, between its markers. Run it through tsx: `npm run readme`.
import { readFileSync, writeFileSync } from 'node:fs';
import { settingsTable } from '../src/settings-table.ts';

const BEGIN = '<!-- settings -->';
const END = '<!-- /settings -->';

/** The README with a current table. Throws where the markers are missing. */
export function withSettingsTable(readme) {
  const from = readme.indexOf(BEGIN);
  const to = readme.indexOf(END);
  if (from === -1 || to < from) throw new Error(`README.md has no ${BEGIN} … ${END}`);
  return `${readme.slice(0, from + BEGIN.length)}\n${settingsTable()}\n${readme.slice(to)}`;
}

const file = new URL('../README.md', import.meta.url);
if (process.argv[1]?.endsWith('readme-settings.mjs')) {
  writeFileSync(file, withSettingsTable(readFileSync(file, 'utf8')));
}
