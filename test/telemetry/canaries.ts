/** Values that must never be seen outside. The first six are ours to know; the others only look like what they are. */
export const KNOWN = {
  serviceKey: 'CANARY-svc-7f3a9c',
  proxyPassword: 'CANARY-pxy-51be20',
  credential: 'CANARY-cred-c0ffee',
  webhookSecret: 'whsec_Q0FOQVJZLXdoLXNlY3JldC0wMDAwMDAwMA==',
  redisUrl: 'redis://:CANARY-redis-0099@h:6379',
  pgUrl: 'postgres://u:CANARY-pg-7777@h/db',
};

export const UNKNOWN = {
  cookie: 'CANARY-cookie-8812',
  bearer: 'CANARY-bearer-4410',
  userinfo: 'CANARY-ui-9331',
  queryToken: 'CANARY-qt-2217',
};

/** The part of each that is the secret, however it was wrapped. */
export const KNOWN_CORES = [
  KNOWN.serviceKey,
  KNOWN.proxyPassword,
  KNOWN.credential,
  'Q0FOQVJZLXdoLXNlY3JldC0wMDAwMDAwMA',
  'CANARY-wh-secret-00000000',
  'CANARY-redis-0099',
  'CANARY-pg-7777',
];

export const SPELLINGS: Record<string, (text: string) => string> = {
  raw: (text) => text,
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 of user:password': (text) => Buffer.from(`user:${text}`).toString('base64'),
  'URL-encoded': (text) => encodeURIComponent(text),
  'form-encoded': (text) => new URLSearchParams({ v: text }).toString().slice(2),
  'JSON-escaped': (text) => JSON.stringify(text).slice(1, -1),
  'upper case': (text) => text.toUpperCase(),
};
