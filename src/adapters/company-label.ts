import { domainOfHost } from '../domain/registrable-domain.js';
import { FREE_MAIL, hostOf } from './company-email.js';
import { foldName } from './readers/site-name.js';
import { labelOf, type Site } from './site-owner.js';

/** The name of the site's address; of a saved page that does not say where it is from, that of its e-mail. */
export function labelFrom({ site, email }: { site: Site; email: string | null }): string | null {
  if (site.label !== null || email === null) return site.label;
  const domain = domainOfHost(hostOf(email));
  if (!FREE_MAIL.test(domain)) return labelOf(domain);
  return foldName(email.split('@', 1)[0] ?? '').replace(
    /^(?:info|contact|the)|(?:office|info|mail|contact|inc|ltd|llc)$/,
    '',
  );
}

/** Does one of them begin as the other does? */
export function isOfLabel(name: string, label: string | null): boolean {
  if (label === null || label.length < 2) return false;
  return [name, name.replace(/\s?[&+]\s?/g, 'and')].map(foldName).some((folded) => {
    if (folded === label) return true;
    return (label.length >= 4 && folded.startsWith(label)) || (folded.length >= 4 && label.startsWith(folded));
  });
}
