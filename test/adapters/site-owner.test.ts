import { describe, expect, it } from 'vitest';
import { readPage } from '../../src/adapters/readers/page-reader.js';
import { siteOf, siteOrganization } from '../../src/adapters/site-owner.js';
import { jsonLd, pageOf } from './page.js';

const ownerOf = (...things: object[]) => {
  const reader = readPage(pageOf(jsonLd({ '@graph': things }), { url: 'https://knots.com/' }));
  return siteOrganization(reader.jsonLd, reader)?.props.get('name')?.[0] ?? null;
};
const org = (name: string, url?: string) => ({ '@type': 'Organization', name, ...(url ? { url } : {}) });

describe('the organisation of a site', () => {
  it('is the only one, or the one whose address is here', () => {
    expect(ownerOf(org('Knots'))).toBe('Knots');
    expect(ownerOf(org('Client', 'https://client.com/'), org('Knots', 'https://www.knots.com/'))).toBe('Knots');
  });

  it('is who publishes the site', () => {
    const site = { '@type': 'WebSite', publisher: { '@type': 'Organization', name: 'Knots' } };
    expect(ownerOf(site, org('Client'))).toBe('Knots');
  });

  it('is none of several strangers', () => {
    expect(ownerOf(org('One'), org('Two'))).toBeNull();
  });
});

describe('the site', () => {
  const site = (html: string, url: string) => siteOf(readPage(pageOf(html, { url })));

  it('owns its hosts and other endings of its name', () => {
    const { owns, label } = site('', 'https://www.rain-coat.co.uk/shop');
    expect(label).toBe('raincoat');
    expect(owns('mail.rain-coat.co.uk')).toBe(true);
    expect(owns('raincoat.com')).toBe(true);
    expect(owns('rain.com')).toBe(false);
  });

  it('is known from what a saved page says, or not at all', () => {
    const og = '<meta property="og:url" content="https://www.knots.com/">';
    expect(site(og, 'https://site.example/')).toMatchObject({ url: 'https://www.knots.com/', label: 'knots' });
    expect(site('', 'https://site.example/')).toMatchObject({ url: null, label: null });
    expect(site('', 'https://site.example/').owns('gmail.com')).toBe(false);
  });
});
