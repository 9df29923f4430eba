import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../src/fetching/charset.js';

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('the charset of a page', () => {
  it('is what the byte order mark says, before everything else', () => {
    expect(decodeText(Buffer.from('\ufeffé'), 'text/html; charset=iso-8859-1')).toBe('é');
    expect(decodeText(Buffer.from('\ufeffé', 'utf16le'), 'text/html; charset=utf-8')).toBe('é');
  });

  it('is what the header says, before the document', () => {
    const page = latin1('<meta charset="utf-8">é');
    expect(decodeText(page, 'text/html; charset="ISO-8859-1"')).toContain('é');
    expect(decodeText(Buffer.from([0x82, 0xa0]), 'text/html;charset=Shift_JIS')).toBe('あ');
    expect(decodeText(Buffer.from([0x80]), 'text/html; charset=latin1')).toBe('€');
  });

  it('is what the document says of itself', () => {
    for (const head of [
      '<meta charset=windows-1251>',
      "<meta http-equiv='Content-Type' content='text/html; charset=windows-1251'>",
      '<?xml version="1.0" encoding="windows-1251"?>',
      '<!-- <meta charset="utf-8"> --><META CHARSET="windows-1251" />',
    ]) {
      expect(decodeText(Buffer.concat([latin1(head), Buffer.from([0xcf])]), 'text/html')).toContain('П');
    }
    expect(decodeText(Buffer.from('<meta charset="utf-16">é'), null)).toContain('é');
  });

  it('is UTF-8 where nothing is declared and it fits, else windows-1252', () => {
    expect(decodeText(Buffer.from('naïve — ok'), null)).toBe('naïve — ok');
    expect(decodeText(Buffer.from([0x93, 0x6e, 0x6f, 0x94]), 'text/html')).toBe('“no”');
    expect(decodeText(Buffer.from('é'), 'text/html; charset=klingon')).toBe('é');
  });

  it('never throws, whatever the bytes and the header', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.option(fc.string()), (bytes, header) => {
        expect(typeof decodeText(bytes, header === null ? null : `text/html; charset=${header}`)).toBe('string');
      }),
    );
  });
});
