import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { FORMATS, type Format } from '../domain/adapter.js';
import { currencyOf } from '../domain/normalize/currency.js';
import { parseUuid } from '../domain/uuid.js';
import { type ExtractOffline, extractCases, extractOne, isWebAddress, NO_ADDRESS } from './extract.js';
import { priceCases, showPrice } from './price.js';
import { type OpenHost, type RetrieveFlags, retrieve } from './retrieve.js';

export interface CliParts {
  version: string;
  targetTypes: readonly string[];
  extractOffline: ExtractOffline;
  now: number;
  /** A whole service behind a shut door. */
  openHost: OpenHost;
  print?: (line: string) => void;
  complain?: (line: string) => void;
}

interface PriceFlags {
  cases?: string;
  hint?: string;
  currency?: string;
  country?: string;
}

function readFormats(list: string): Format[] {
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !(FORMATS as readonly string[]).includes(name));
  if (unknown !== undefined) throw new InvalidArgumentError(`"${unknown}" is none of ${FORMATS.join(', ')}.`);
  return names as Format[];
}

/** A hint that nobody understands would be left out, and the caller would not know. */
function readCurrency(given: string): string {
  const currency = currencyOf(given);
  if (currency === null) throw new InvalidArgumentError(`"${given}" is no currency we know (ISO 4217, such as EUR).`);
  return currency;
}

function readCount(given: string): number {
  if (!/^\d{1,6}$/.test(given)) throw new InvalidArgumentError(`"${given}" is not a whole number.`);
  return Number(given);
}

function readRunId(given: string): string {
  const id = parseUuid(given);
  if (id === null) throw new InvalidArgumentError(`"${given}" is not the id of a run.`);
  return id;
}

interface ExtractFlags {
  cases?: string;
  type?: string;
  url?: string;
  formats?: Format[];
}

/** Runs one command line and resolves with the exit code: 0 done, 1 something could not be read, 2 wrong arguments; more in retrieve.ts. */
export async function runCli(argv: readonly string[], parts: CliParts): Promise<number> {
  const print = parts.print ?? ((line: string) => process.stdout.write(`${line}\n`));
  const complain = parts.complain ?? ((line: string) => process.stderr.write(`${line}\n`));
  let code = 0;
  const program = new Command('gleaner')
    .description('Turns web pages into typed, true data.')
    .version(parts.version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => print(text.trimEnd()), writeErr: (text) => complain(text.trimEnd()) });

  const extract = program
    .command('extract')
    .description('Read saved pages as the service would, without fetching anything.')
    .argument('[file]', 'one saved HTML page')
    .option('--cases <file>', 'many pages: NDJSON lines {page, file, url, target_type}; answers NDJSON')
    .addOption(new Option('--type <type>', 'what kind of page it is').choices(parts.targetTypes))
    .option('--url <url>', 'the address the page was saved from')
    .option('--formats <list>', `content to bring (web_page): ${FORMATS.join(',')}`, readFormats)
    .action(async (file: string | undefined, flags: ExtractFlags) => {
      const tools = { extractOffline: parts.extractOffline, now: parts.now, print };
      if (flags.cases !== undefined) {
        const faults = await extractCases(flags.cases, tools);
        for (const fault of faults) complain(fault);
        code = faults.length === 0 ? 0 : 1;
        return;
      }
      if (file === undefined) return extract.error('error: name a page, or a list of pages with --cases');
      if (flags.type === undefined) return extract.error('error: --type is needed for a page');
      if (flags.url !== undefined && !isWebAddress(flags.url))
        extract.error(`error: --url must be an absolute http or https URL: ${flags.url}`);
      const wish = { url: flags.url ?? NO_ADDRESS, targetType: flags.type, formats: flags.formats ?? null };
      await extractOne(file, wish, tools);
    });

  const price = program
    .command('price')
    .description('Say what a printed price means.')
    .argument('[text]', 'the price, such as "1.299,00 €"')
    .option(
      '--cases <file>',
      'many: NDJSON lines {id, text, currency_hint, decimal_separator, digit_group_separator}; answers NDJSON',
    )
    .option('--hint <text>', 'another text of the page, which may name the currency')
    .option('--currency <code>', 'the currency, where it is known (ISO 4217)', readCurrency)
    .option('--country <code>', 'the country, where it is known (two letters)')
    .action(async (text: string | undefined, { cases, ...hints }: PriceFlags) => {
      if (cases === undefined && text === undefined)
        price.error('error: name a price, or a list of prices with --cases');
      if (cases === undefined) return showPrice(text ?? '', hints, print);
      const faults = await priceCases(cases, print);
      for (const fault of faults) complain(fault);
      code = faults.length === 0 ? 0 : 1;
    });

  const command = program
    .command('retrieve')
    .description('Retrieve the cases of a register; Ctrl-C lets the run rest, --resume goes on.')
    .argument('[cases]', 'IMM-1-25..IMM-500-25, or a list: IMM-1-25,IMM-7-25')
    .option('--adapter <name>', 'which configured register (SCRAPER_CASE_RECORDS_PATH)')
    .option('--resume <run_id>', 'go on with a run, from the database or from its checkpoint', readRunId)
    .option('--workspace <id>', 'on whose behalf', 'cli')
    .option('--stop-after-no-records <count>', 'end early after so many cases in a row without a record', readCount)
    .option('--no-html', 'keep the records only, not their pages')
    .option('--verbose', "print the service's log lines on stderr")
    .action(async (cases: string | undefined, flags: RetrieveFlags) => {
      if (cases === undefined && flags.resume === undefined) {
        command.error('error: name the cases, or a run with --resume');
      }
      if (cases !== undefined && flags.resume !== undefined) {
        command.error('error: name the cases or a run with --resume, not both: a run knows its cases');
      }
      if (cases !== undefined && flags.adapter === undefined) command.error('error: --adapter is needed');
      code = await retrieve(cases ?? null, flags, { openHost: parts.openHost, print, complain });
    });

  try {
    await program.parseAsync(argv);
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    complain((error as Error).message);
    return 1;
  }
}
