/** The floor of plain HTTP: undici with kept connections and a parser. `parser` is `sax` (htmlparser2) or `cheerio`. */
import { load } from 'cheerio';
import { Parser } from 'htmlparser2';
import { Agent, request, setGlobalDispatcher } from 'undici';
import { leave, Meter, readAll, runnerOptions } from './runner.mjs';

const options = runnerOptions({ parser: 'sax' });
setGlobalDispatcher(new Agent({ connections: options.atOnce, keepAliveTimeout: 60_000 }));

const parse = { sax: readBySax, cheerio: readByCheerio }[options.parser];
await readAll(options, new Meter(options), async (url) => {
  const { body } = await request(url);
  return parse(await body.text());
});
leave();

function readByCheerio(html) {
  const $ = load(html);
  return { title: $('title').text(), data: $('script[type="application/ld+json"]').first().text() };
}

function readBySax(html) {
  const found = { title: '', data: '' };
  let into = null;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'title') into = 'title';
      else if (name === 'script' && attributes.type === 'application/ld+json') into = 'data';
    },
    ontext(text) {
      if (into) found[into] += text;
    },
    onclosetag() {
      into = null;
    },
  });
  parser.end(html);
  return found;
}
