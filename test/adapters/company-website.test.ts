import { describe, expect, it } from 'vitest';
import { companyWebsite } from '../../src/adapters/company-website.js';
import { readRecord } from '../../src/engine/reading.js';
import { jsonLd, pageOf, READING } from './page.js';

/** A page of the site unless told otherwise; `null` for a saved page that does not say where it is from. */
function read(html: string, url: string | null = 'https://www.ropeworks.com/') {
  return readRecord(companyWebsite, pageOf(html, { url: url ?? 'https://site.example/' }), READING).record;
}

const SALEM = '<p>12 Quay Road<br>Salem, MA 01970</p><p>Tel: 978-555-0123</p>';

describe('the name', () => {
  it.each([
    [
      'the sign over the door and over the address',
      '<title>Nets, ropes, sails</title><img src="/logo.gif" alt="Harbour Chandlers"><p>Harbour Chandlers<br>12 Quay Road<br>Salem, MA 01970</p><p>Tel: 978-555-0123</p><p>© HC Holdings, LLC</p>',
      'Harbour Chandlers',
      'https://site.example/',
    ],
    [
      'the words in place of a logo, where the copyright agrees',
      '<title>Welcome</title><header><a class="navbar-brand" href="/">St. Brendan Sailing Club</a></header><p>© 2015 St. Brendan Sailing Club</p>',
      'St. Brendan Sailing Club',
      'https://site.example/',
    ],
    [
      'the first line of the page, where the copyright agrees',
      "<title>Welcome!</title><b>Ada's Fish-N-Chips</b><p>Since 1957.</p><p>© 1998 Ada's Fish-N-Chips. Pages by Loom & Wire.</p>",
      "Ada's Fish-N-Chips",
      'https://site.example/',
    ],
    [
      'spelled as people spell it, where the site only has a word for machines',
      '<meta property="og:site_name" content="nailandhammer"><title>Garden sheds | nailandhammer</title><h1>Nail &amp; Hammer</h1><p>© 2016 by Nail &amp; Hammer</p>',
      'Nail & Hammer',
      'https://site.example/',
    ],
    ['the part of the title that the address repeats', '<title>Ropes, nets | Rope Works</title>', 'Rope Works'],
    ['with another word for "and"', '<title>Rope & Works</title>', 'Rope & Works', 'https://ropeandworks.com/'],
    [
      'the holder of the copyright',
      '<title>Ropes</title><p>© 2014 Ropeworks Marine. All rights reserved</p>',
      'Ropeworks Marine',
    ],
    [
      'the line above the street',
      `<title>Ropes</title><p>Ropeworks Supply<br>12 Quay Road<br>Salem, MA 01970</p>`,
      'Ropeworks Supply',
    ],
    [
      'the words for those who cannot see the logo',
      '<title>Ropes</title><img src="/l.gif" class="logo" alt="Rope Works logo">',
      'Rope Works',
    ],
    [
      'the name behind an address bought for its words',
      '<title>Best Rope</title><p>© Knot Brothers LLC</p>',
      'Knot Brothers LLC',
      'https://bestropeboston.com/',
    ],
    [
      'what the site calls itself, not its owner',
      '<meta property="og:site_name" content="Hotel Mira"><p>© Stayrite Group, LLC</p>',
      'Hotel Mira',
      'https://hotelmira.com/',
    ],
  ])('is %s', (_, html, name, url = 'https://www.ropeworks.com/') => {
    expect(read(html, url).company_name).toBe(name);
  });

  it.each([
    ['title and copyright', '<title>Knots | Contact us</title><p>Copyright 2012 Knots</p>', 'Knots'],
    ['title and e-mail', '<title>Knot Brothers - finest rope</title><p>info@knotbrothers.com</p>', 'Knot Brothers'],
    ['title and the words beside it', '<title>Contact | Knot Brothers</title>', 'Knot Brothers'],
  ])('of a saved page needs two witnesses: %s', (_, html, name) => {
    expect(read(html, null).company_name).toBe(name);
  });

  it.each([
    ['a slogan', '<title>The best rope in town</title>'],
    ['a word that all sites have', '<title>Homepage</title><h1>Welcome</h1><p>© 2014 All rights reserved</p>'],
    ['the author of a template', '<title>Home</title><meta name="author" content="Pixel Pushers">'],
    ['the maker of the site', '<title>Home</title><p>Website © 2014 Pixel Pushers</p>'],
    ['a host', '<title>www.ropes.net</title><p>© www.ropes.net</p>'],
    ['what a template leaves to fill in', '<title>Home</title><p>© 2014 Your Company Name</p>'],
  ])('is not %s', (_, html) => {
    expect(read(html, null).company_name).toBeNull();
  });
});

describe('the e-mail address', () => {
  it.each([
    ['the front door of several', 'jo@ropeworks.com, sales@ropeworks.com, info@ropeworks.com', 'info@ropeworks.com'],
    ['the door for customers, failing that', 'jo@ropeworks.com, support@ropeworks.com', 'support@ropeworks.com'],
    ['the only one that is no back door', 'jobs@ropeworks.com, jo@ropeworks.com', 'jo@ropeworks.com'],
    ["the site's own beside another's", 'info@partner.org, jo@ropeworks.com', 'jo@ropeworks.com'],
    ['on another ending of the same name', 'hello@ropeworks.co.uk', 'hello@ropeworks.co.uk'],
    ['elsewhere when it stands alone', 'ropeworks@gmail.com', 'ropeworks@gmail.com'],
    ['a greeting, in any language', 'jo@ropeworks.com, moin@ropeworks.com', 'moin@ropeworks.com'],
    ['not for one occasion only', 'weddings@ropeworks.com, quay@ropeworks.com', 'quay@ropeworks.com'],
    ['of the house, not of the free mailbox beside it', 'ropes@knots.in, knots@yahoo.co.in', 'ropes@knots.in'],
    ['not the registered box', 'PEC: ropeworks@legalmail.it | jo@knots.it', 'jo@knots.it'],
    [
      'below the seat, of branches',
      'Head office<br>12 Quay Road<br>Salem, MA 01970<br>salem@ropeworks.com</p><p>Our other shop is far away</p><p>Write to<br>Anna<br>or to<br>lynn@ropeworks.com',
      'salem@ropeworks.com',
    ],
    ['beside a credit', 'info@ropeworks.com | Web design by Zed', 'info@ropeworks.com'],
  ])('is %s', (_, text, address) => {
    expect(read(`<p>${text}</p>`).contact_email).toBe(address);
  });

  it.each([
    ['one of several people', 'jo@ropeworks.com, mary@ropeworks.com'],
    ["one of several houses, none the site's", 'info@partner.org, info@printer.net'],
    ["the web designer's", 'Site design by jo@pixels.net'],
    ["the web designer's in another language", 'Réalisation : jo@pixels.net'],
    ['one with a word too many', 'hello@NOSPAMropeworks.com'],
    ['an example', 'you@ropeworks.com, name@domain.com, info@yourdomain.com'],
  ])('is not %s', (_, text) => {
    expect(read(`<p>${text}</p>`).contact_email).toBeNull();
  });
});

describe('the phone number', () => {
  it.each([
    [
      'of the office before a free one',
      'Toll free: 800-555-0111 Local: 978-555-0112 Fax: 978-555-0113',
      '978-555-0112',
    ],
    [
      'of the office before one that is free by its digits',
      '<p>Call 800-555-0111</p><p>Call 978-555-0112</p>',
      '978-555-0112',
    ],
    ['of a landline before a mobile', 'Mob: 07700 900555 Tel: 0191 496 0123', '0191 496 0123'],
    ['the only one there is', '<p>978-555-0123</p>', '978-555-0123'],
    ['the only one, even for emergencies', '<p>Emergency: 978-555-0123</p>', '978-555-0123'],
    [
      'for everything before that for emergencies',
      '<a href="tel:+19785550199">Emergency</a><p>Surgery</p><p>12 Quay Road<br>Salem, MA 01970<br>978-555-0123</p>',
      '978-555-0123',
    ],
    [
      'of the office before that of one person',
      '<p>Bake sale! Call Norma at 978-555-0177.</p><p>12 Quay Road<br>Salem, MA 01970<br>978-555-0123</p>',
      '978-555-0123',
    ],
    [
      'beside the e-mail address before that below another heading',
      '<div>978-555-0123 hello@ropeworks.com</div><p>12 Quay Road<br>Salem, MA 01970</p><h3>Catering</h3><p>Pia: 978-555-0188</p>',
      '978-555-0123',
    ],
    ['the one by the address', `<p>Parts: call 617-555-0100</p>${'<p>words</p>'.repeat(12)}${SALEM}`, '978-555-0123'],
    [
      'the first of two without a label',
      '12 Quay Road<br>Salem, MA 01970<br>978-555-0123<br>978-555-0124',
      '978-555-0123',
    ],
  ])('is that %s', (_, html, phone) => {
    expect(read(html).contact_phone).toBe(phone);
  });

  it.each([
    ['a fax', '<p>Fax: 978-555-0123</p>'],
    ['a fax that is a link too', '<p>Fax: 978-555-0123</p><a href="tel:9785550123">978-555-0123</a>'],
    ['one of a list', '<p>978-555-0123</p><p>978-555-0124</p><p>978-555-0125</p>'],
    ['of who made the site', '<p>© Rope Works. Page by Loom & Wire 978-555-0166</p>'],
    ['a number of papers', '<p>VAT 01632 960123. Company number 01632 960124</p>'],
  ])('is not %s', (_, html) => {
    expect(read(html).contact_phone).toBeNull();
  });

  it('is dialled as its link, its plus or its address says', () => {
    expect(read('<a href="tel:+19782000123">(978) 200-0123</a>').contact_phone_e164).toBe('+19782000123');
    expect(read('<p>Tel +44 1845 496012</p>').contact_phone_e164).toBe('+441845496012');
    expect(read('<p>12 Quay Road<br>Salem, MA 01970<br>978-200-0123</p>').contact_phone_e164).toBe('+19782000123');
    expect(read('<p>Tel 978-200-0123</p>').contact_phone_e164).toBeNull();
  });
});

describe('the seat', () => {
  const office = (heading: string, street: string, city: string) =>
    `<p>${heading}<br>${street}<br>${city}</p><p>Tel x</p>`;
  const city = (html: string) => (read(html).headquarters as { city: string } | null)?.city ?? null;

  it('is the office that is said to be it', () => {
    const html =
      office('Sales', '1 Elm St', 'Salem, MA 01970') + office('Corporate Headquarters', '2 Oak St', 'Reno, NV 89501');
    expect(city(html + office('Plant', '3 Ash St', 'Gary, IN 46402'))).toBe('Reno');
  });

  it('is the first of two, but not a registered one or a box', () => {
    const salem = office('Shop', '1 Elm St', 'Salem, MA 01970');
    expect(city(salem + office('', '2 Oak St', 'Reno, NV 89501'))).toBe('Salem');
    expect(city(office('Registered office', '2 Oak St', 'Reno, NV 89501') + salem)).toBe('Salem');
    expect(city(office('Mail', 'PO Box 5', 'Reno, NV 89501') + salem)).toBe('Salem');
  });

  it('of many is the one at the foot of every page', () => {
    const many = office('', '1 Elm St', 'Salem, MA 01970') + office('', '2 Oak St', 'Reno, NV 89501');
    expect(city(many + office('', '3 Ash St', 'Gary, IN 46402'))).toBeNull();
    expect(city(`${many}<footer>${office('', '3 Ash St', 'Gary, IN 46402')}</footer>`)).toBe('Gary');
  });

  it('is not where an event takes place', () => {
    const event = 'Our next concert is on 12 May in Town Hall, 5 High Street, Salem, MA 01970, doors at 7.';
    expect(city(`<p>${event}</p>${'<p>Words and words.</p>'.repeat(9)}`)).toBeNull();
  });

  it('is what the page prints where structured data names only a country', () => {
    const thing = jsonLd({ '@type': 'Organization', name: 'Rope Works', address: { addressCountry: 'US' } });
    expect(city(thing + SALEM)).toBe('Salem');
    expect(read(thing).headquarters).toMatchObject({ city: null, country: 'US' });
  });
});

describe('other fields', () => {
  it('take no template text for a description', () => {
    expect(read('<meta name="description" content="Just another WordPress site">').description).toBeNull();
    expect(read('<meta name="description" content="">').description).toBeNull();
    expect(read('<meta name="description" content="Rope for all.">').description).toBe('Rope for all.');
  });

  it('believe the address asked for, and a saved page that says its own', () => {
    expect(read('<link rel="canonical" href="/contact.html">').website_url).toBe('https://www.ropeworks.com/');
    expect(read('<link rel="canonical" href="https://www.knots.com/en">', null).website_url).toBe(
      'https://www.knots.com/en',
    );
    expect(read('<p>x</p>', null).website_url).toBeNull();
  });

  it('leave out structured values that are none', () => {
    const thing = jsonLd({ '@type': 'Organization', name: 'Rope Works', email: '#', telephone: 'call us' });
    expect(read(`${thing}${SALEM}<p>info@ropeworks.com</p>`)).toMatchObject({
      contact_email: 'info@ropeworks.com',
      contact_phone: '978-555-0123',
    });
  });
});
