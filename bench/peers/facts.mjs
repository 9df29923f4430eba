/** What the pages of the site say, and so what every contestant has to find on them. */

export const VARIANTS = 200;
export const HOSTS = Array.from({ length: 8 }, (_, i) => `127.0.0.${i + 1}`);

const ROLES = ['Platform Engineer', 'Data Analyst', 'Product Designer', 'Network Architect', 'Research Manager'];
const TRADES = ['Harbour', 'Meadow', 'Lantern', 'Granite', 'Juniper'];

/** `title` is the document's; `value` is the one fact of the record by which it is known which page was read. */
export function factsOf(kind, n) {
  if (kind === 'company') {
    const value = `${TRADES[n % TRADES.length]} Works ${n} GmbH`;
    return { title: value, value, identifier: `company-${n}` };
  }
  const value = `${ROLES[n % ROLES.length]} ${n}`;
  return { title: value, value, identifier: `${kind}-${n}` };
}

export const urlOf = ({ kind, port }, i) =>
  `http://${HOSTS[i % HOSTS.length]}:${port}/${kind}/${i % VARIANTS}?visit=${i}`;

export function factsAt(url) {
  const [, kind, n] = /\/(job|company|js)\/(\d+)/.exec(url);
  return factsOf(kind, Number(n));
}
