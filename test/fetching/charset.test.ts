import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../src/fetching/charset.js';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const page = (head: string, ...body: number[]): Buffer => Buffer.concat([latin1(head), Buffer.from(body)]);

/** The bytes of a text in an encoding, found by reading every byte, or pair of bytes, of that encoding. */
function encode(text: string, encoding: string): Buffer {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const table = new Map<string, number[]>();
  const learn = (...bytes: number[]) => {
    try {
      const char = decoder.decode(Uint8Array.from(bytes), { stream: encoding === 'windows-1252' });
      if ([...char].length === 1 && !table.has(char)) table.set(char, bytes);
    } catch {
      // No character of this encoding.
    }
  };
  for (let byte = 0; byte < 256; byte += 1) learn(byte);
  if (/jis|euc|gb|big5/.test(encoding)) {
    for (let lead = 0x81; lead < 0xff; lead += 1) for (let trail = 0x40; trail < 0xff; trail += 1) learn(lead, trail);
  }
  return Buffer.from([...text].flatMap((char) => table.get(char) ?? expect.fail(`${char} is not in ${encoding}`)));
}

const SENTENCES: Record<string, string> = {
  'windows-1250': 'Příliš žluťoučký kůň úpěl ďábelské ódy – „zažít“',
  'iso-8859-2': 'Zażółć gęślą jaźń, šest žab',
  'windows-1251': 'Мы ищем опытного столяра для работы в новой мастерской; обучение за наш счёт',
  'koi8-r': 'Мы ищем опытного столяра для работы в новой мастерской; обучение за наш счёт',
  'koi8-u': 'Жебракують філософи при ґанку церкви в Гадячі',
  'windows-1252': 'Voix ambiguë d’un cœur – 5 €',
  'iso-8859-15': 'Cœur à 5 €',
  'windows-1253': 'Ξεσκεπάζω τὴν ψυχοφθόρα'.replace('ὴ', 'ή'),
  'windows-1254': 'Fahiş bluz güvencesi İstanbul ığdır',
  'windows-1255': 'דג סקרן שט בים',
  'windows-1256': 'نص عربي قصير',
  'windows-1257': 'Įlinkdama fechtuotojo špaga',
  'windows-874': 'ภาษาไทย',
  shift_jis: 'いろはにほへと ちりぬるを ①（株）テスト',
  'euc-jp': 'いろはにほへと ちりぬるを 日本語テスト',
  gbk: '我能吞下玻璃而不伤身体',
  big5: '我能吞下玻璃而不傷身體',
  'euc-kr': '다람쥐 헌 쳇바퀴에 타고파',
};

describe('the charset of a page', () => {
  it('is what the byte order mark says, before everything else', () => {
    expect(decodeText(Buffer.from('\ufeffé'), 'text/html; charset=iso-8859-1')).toBe('é');
    expect(decodeText(Buffer.from('\ufeffé', 'utf16le'), 'text/html; charset=utf-8')).toBe('é');
    expect(decodeText(Buffer.from([0xfe, 0xff, 0x00, 0xe9]), null)).toBe('é');
  });

  it('is what the header says, before the document', () => {
    const odd = latin1('<meta charset="utf-8">é');
    expect(decodeText(odd, 'text/html; charset="ISO-8859-1"')).toContain('é');
    expect(decodeText(Buffer.from([0x82, 0xa0]), 'text/html;charset=Shift_JIS')).toBe('あ');
    expect(decodeText(Buffer.from([0x80]), 'text/html; charset=latin1')).toBe('€');
    expect(decodeText(Buffer.from('<p>é</p>', 'utf16le'), 'text/html; charset=utf-16le')).toBe('<p>é</p>');
  });

  it('is what the document says of itself', () => {
    for (const head of [
      '<meta charset=windows-1251>',
      "<meta http-equiv='Content-Type' content='text/html; charset=windows-1251'>",
      '<meta content="text/html;charset=windows-1251" http-equiv="content-type" />',
      '<?xml version="1.0" encoding="windows-1251"?>',
      '<!-- <meta charset="utf-8"> --><META CHARSET="windows-1251" />',
      '<meta name="description" content="all about charset=utf-8"><meta charset="windows-1251">',
      `<script>${'var x; '.repeat(400)}</script><meta charset="windows-1251">`,
    ]) {
      expect(decodeText(page(head, 0xcf), 'text/html')).toMatch(/П$/);
    }
    expect(decodeText(Buffer.from('<meta charset="utf-16">é'), null)).toContain('é');
  });

  it('is not what the text below the head says about charsets', () => {
    expect(decodeText(page('<body><pre><meta charset=windows-1251></pre>', 0xe9), null)).toMatch(/é$/);
  });

  it.each(Object.entries(SENTENCES))('%s is read where it is declared', (encoding, sentence) => {
    const bytes = encode(sentence, encoding);
    expect(decodeText(bytes, `text/html; charset=${encoding}`)).toBe(sentence);
    expect(decodeText(Buffer.concat([latin1(`<meta charset="${encoding}">`), bytes]), 'text/html')).toContain(sentence);
  });

  it.each([
    ['utf8', 'é', 'utf-8'],
    ['UTF-8mb4', 'é', 'utf-8'],
    ['utf_8', 'é', 'utf-8'],
    ['unicode', 'é', 'utf-8'],
    ['iso8859-1', 'é', 'windows-1252'],
    ['ISO_8859_1', 'é', 'windows-1252'],
    ['latin-1', 'é', 'windows-1252'],
    ['ansi', 'é', 'windows-1252'],
    ['x-user-defined', 'é', 'windows-1252'],
    ['win-1251', 'Жук', 'windows-1251'],
    ['cp-1251', 'Жук', 'windows-1251'],
    ['windows1250', 'žluť', 'windows-1250'],
    ['ISO8859_2', 'žluť', 'iso-8859-2'],
    ['x-sjis', 'あ①', 'shift_jis'],
    ['Shift-JIS', 'あ', 'shift_jis'],
    ['cp932', 'あ', 'shift_jis'],
    ['EUCJP', 'あ', 'euc-jp'],
    ['GB2312', '我', 'gbk'],
    ['gb_2312-80', '我', 'gbk'],
    ['big5-hkscs', '我', 'big5'],
    ['ks_c_5601-1987', '다', 'euc-kr'],
    ['koi8r', 'Жук', 'koi8-r'],
    ['tis620', 'ไ', 'windows-874'],
  ])('knows the label %s', (label, text, encoding) => {
    const bytes = encoding === 'utf-8' ? Buffer.from(text) : encode(text, encoding);
    expect(decodeText(bytes, `text/html; charset=${label}`)).toBe(text);
  });

  it('is UTF-8 where nothing is declared and it fits, else windows-1252', () => {
    expect(decodeText(Buffer.from('naïve — ok'), null)).toBe('naïve — ok');
    expect(decodeText(Buffer.from([0x93, 0x6e, 0x6f, 0x94]), 'text/html')).toBe('“no”');
    expect(decodeText(Buffer.from('é'), 'text/html; charset=klingon')).toBe('é');
    expect(decodeText(latin1('Déjà vu à Orléans'), null)).toBe('Déjà vu à Orléans');
  });
});

describe('a declaration that the bytes disprove', () => {
  it.each(['iso-8859-1', 'windows-1252', 'windows-1251', 'utf-16'])('does not count: %s for UTF-8', (label) => {
    expect(decodeText(Buffer.from('Größe – 5 €'), `text/html; charset=${label}`)).toBe('Größe – 5 €');
  });

  it('does not count: UTF-8 in the header for what the document calls otherwise', () => {
    const text = 'Жук';
    const bytes = Buffer.concat([latin1('<meta charset="windows-1251">'), encode(text, 'windows-1251')]);
    expect(decodeText(bytes, 'text/html; charset=utf-8')).toContain(text);
  });

  it('does not count: UTF-8 for a page without any', () => {
    expect(decodeText(latin1('Caf\xe9 \x93Zum B\xe4ren\x94'), 'text/html; charset=utf-8')).toBe('Café “Zum Bären”');
    expect(decodeText(latin1('<meta charset=utf-8>Caf\xe9'), null)).toContain('Café');
  });

  it('does not count: the default of the server for a page that says what it is', () => {
    const text = SENTENCES['windows-1251'] ?? '';
    const bytes = Buffer.concat([latin1('<meta charset="windows-1251">'), encode(text, 'windows-1251')]);
    expect(decodeText(bytes, 'text/html; charset=iso-8859-1')).toContain(text);
  });

  it('counts where both encodings fit: the two famous characters of Notepad', () => {
    expect(decodeText(encode('联通', 'gbk'), 'text/html; charset=gb2312')).toBe('联通');
    expect(decodeText(Buffer.from([0x1b, 0x24, 0x42, 0x24, 0x22]), 'text/html; charset=iso-2022-jp')).toBe('あ');
  });

  it('counts where only a few bytes are wrong, and nobody knows what they were', () => {
    const bytes = Buffer.concat([Buffer.from('größer für alle Städte '), Buffer.from([0xe4, 0x21])]);
    expect(decodeText(bytes, 'text/html; charset=utf-8')).toBe('größer für alle Städte \ufffd!');
    expect(decodeText(bytes, null)).toBe('größer für alle Städte \ufffd!');
    const more = Buffer.concat([Buffer.from('äöüß '.repeat(2)), Buffer.from([0xff])]);
    expect(decodeText(more, 'text/html; charset=iso-8859-1')).toBe('äöüß äöüß \ufffd');
  });

  it('counts where the body was cut in the middle of a character', () => {
    expect(decodeText(Buffer.from('über 5 €').subarray(0, -1), null)).toBe('über 5 \ufffd');
    expect(decodeText(Buffer.from('über 5 €').subarray(0, -2), 'text/html; charset=windows-1252')).toContain('über');
  });
});

describe('an undeclared charset', () => {
  it.each([
    ['ja', 'shift_jis'],
    ['ja', 'euc-jp'],
    ['zh-CN', 'gbk'],
    ['zh-TW', 'big5'],
    ['ko', 'euc-kr'],
    ['ru', 'windows-1251'],
    ['ru', 'koi8-r'],
    ['cs', 'windows-1250'],
    ['pl', 'iso-8859-2'],
    ['el', 'windows-1253'],
    ['tr', 'windows-1254'],
    ['he', 'windows-1255'],
    ['ar', 'windows-1256'],
    ['lt', 'windows-1257'],
    ['th', 'windows-874'],
    ['fr', 'windows-1252'],
  ])('of a page in %s is found: %s', (language, encoding) => {
    const sentence = SENTENCES[encoding] ?? '';
    const bytes = Buffer.concat([latin1(`<html lang="${language}"><body>`), encode(sentence, encoding)]);
    expect(decodeText(bytes, null)).toContain(sentence);
    expect(decodeText(bytes, 'text/html; charset=utf-8')).toContain(sentence);
  });

  it.each(['shift_jis', 'euc-jp', 'windows-1251', 'koi8-r'])('is told by its letters alone: %s', (encoding) => {
    const sentence = SENTENCES[encoding] ?? '';
    expect(decodeText(encode(sentence, encoding), null)).toBe(sentence);
  });

  it('is windows-1252 for every language of western Europe', () => {
    for (const text of [
      'Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich',
      'Portez ce vieux whisky au juge blond qui fume à l’île intérieure, où ça déçoit',
      'El pingüino Wenceslao hizo kilómetros bajo exhaustiva lluvia y frío, añoraba a su querido cachorro',
      'Blåbærsyltetøy på flaske, årsmøte og færøyske kjører',
      'À noite, vovô Kowalsky vê o ímã cair no pé do pinguim queixoso; avó, ação, ÇÃO, ÕES',
      'ÄÖÜ ÄÖÜ ÄÖÜ ÄÖÜ',
    ]) {
      expect(decodeText(encode(text, 'windows-1252'), null)).toBe(text);
    }
  });

  it('is not taken for Cyrillic where it is Greek or Hebrew', () => {
    for (const encoding of ['windows-1253', 'windows-1255']) {
      const bytes = encode(`${SENTENCES[encoding]} `.repeat(5), encoding);
      expect(decodeText(bytes, null)).not.toMatch(/[а-я]/);
    }
  });
});

describe('any bytes', () => {
  it('never throw, whatever the header', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.option(fc.string()), (bytes, header) => {
        expect(typeof decodeText(bytes, header === null ? null : `text/html; charset=${header}`)).toBe('string');
      }),
    );
  });

  it('that are UTF-8 are read as such, whatever single-byte encoding is declared', () => {
    const labels = fc.constantFrom('utf-8', 'iso-8859-1', 'windows-1251', 'iso-8859-2', 'ascii', 'klingon');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), labels, (text, label) => {
        fc.pre(!text.startsWith('\ufeff'));
        expect(decodeText(Buffer.from(text), `text/html; charset=${label}`)).toBe(text);
      }),
    );
  });

  it.each(['<meta ', '<!--', '<html lang=', '<meta a="', '\xe9', '\x82\xa0', '\xcf', '<?xml '])(
    'are read in a moment, megabytes of %j too',
    (unit) => {
      const bytes = latin1(unit.repeat(3_000_000 / unit.length));
      const start = performance.now();
      decodeText(bytes, 'text/html; charset=utf-8');
      expect(performance.now() - start).toBeLessThan(1500);
    },
  );
});
