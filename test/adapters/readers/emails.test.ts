import { describe, expect, it } from 'vitest';
import { decodeCloudflareEmail, protectedPart } from '../../../src/adapters/readers/cloudflare-email.js';
import { readEmails } from '../../../src/adapters/readers/emails.js';
import { emailsIn, reversedEmailsIn } from '../../../src/adapters/readers/emails-written.js';
import { readPage } from '../../../src/adapters/readers/page-reader.js';
import { pageOf } from '../page.js';

/** As the shield writes it. */
const shield = (address: string, key = 0x5a): string =>
  [key, ...Buffer.from(address).map((byte) => byte ^ key)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const addresses = (html: string): string[] => readEmails(readPage(pageOf(html))).map(({ address }) => address);

describe('addresses in a line', () => {
  it.each([
    ['write to info@ropeworks.com.', ['info@ropeworks.com']],
    ['a@ropeworks.com, b@ropeworks.co.uk', ['a@ropeworks.com', 'b@ropeworks.co.uk']],
    ['info@ropeworks.comPhone', ['info@ropeworks.com']],
    ['in\u200bfo@rope\u00adworks.com', ['info@ropeworks.com']],
    ['info [at] ropeworks [dot] com', ['info@ropeworks.com']],
    ['info(at)ropeworks.de', ['info@ropeworks.de']],
    ['jo.knot {at} ropeworks {dot} co {dot} uk', ['jo.knot@ropeworks.co.uk']],
    ['kontakt (zavináč) ropeworks (tečka) cz', ['kontakt@ropeworks.cz']],
    ['hello AT ropeworks DOT com', ['hello@ropeworks.com']],
    ['hello at ropeworks dot com', ['hello@ropeworks.com']],
    ['E-mail: info @ ropeworks.com', ['info@ropeworks.com']],
  ])('%s', (line, expected) => {
    expect(emailsIn(line)).toEqual(expected);
  });

  it.each([
    'logo@2x.png',
    'lunch @ noon',
    'more info at ropeworks.com',
    'follow us @ropeworks.com',
    'a@b',
    'me@home.tonight',
  ])('none: %s', (line) => {
    expect(emailsIn(line)).toEqual([]);
  });

  it('printed backwards', () => {
    expect(reversedEmailsIn('moc.skrowepor@ofni')).toEqual(['info@ropeworks.com']);
    expect(reversedEmailsIn('info@ropeworks.com')).toEqual([]);
  });
});

describe('addresses of a page', () => {
  it('behind links, the first of several recipients', () => {
    expect(addresses('<a href="mailto:a@knots.test,b@knots.test?subject=x">x</a>')).toEqual(['a@knots.test']);
    expect(addresses('<a href="mailto:?subject=Look">share</a>')).toEqual([]);
  });

  it('behind the shield, in an attribute or a link', () => {
    const hex = shield('info@ropeworks.com');
    expect(addresses(`<span data-cfemail="${hex}">[email&#160;protected]</span>`)).toEqual(['info@ropeworks.com']);
    expect(addresses(`<a href="/cdn-cgi/l/email-protection#${hex}">Mail</a>`)).toEqual(['info@ropeworks.com']);
    expect(decodeCloudflareEmail('zz')).toBeNull();
    expect(decodeCloudflareEmail(shield('no address'))).toBeNull();
    expect(protectedPart('/cdn-cgi/l/email-protection')).toBeNull();
  });

  it('split over attributes, tags and entities', () => {
    expect(addresses('<a data-user="info" data-domain="ropeworks.com">x</a>')).toEqual(['info@ropeworks.com']);
    expect(addresses('<a data-user="ofni" data-website="moc.skrowepor">x</a>')).toEqual(['info@ropeworks.com']);
    expect(addresses('<b>in</b><!-- no --><b>fo</b>&#64;<i>ropeworks</i>.com')).toEqual(['info@ropeworks.com']);
    expect(addresses('<i style="unicode-bidi:bidi-override;direction:rtl">moc.skrowepor@ofni</i>')).toEqual([
      'info@ropeworks.com',
    ]);
  });
});
