import { isSecretParameter } from './secret-patterns.js';

/**
 * A shorter value is not looked for: it would turn up by chance inside ordinary words and ids, shred the log, and the
 * holes would tell what the value is. Such a secret is guessed faster than it is leaked; the pattern rules and the
 * redaction by field name still hold for it.
 */
export const MIN_SECRET_LENGTH = 6;

/** Every spelling under which a secret may turn up in a text: raw, escaped for JSON, percent-encoded, base64. */
export function formsOf(secret: string): string[] {
  const forms = new Set<string>();
  for (const part of partsOf(secret)) {
    if (part.length < MIN_SECRET_LENGTH) continue;
    const bytes = Buffer.from(part);
    for (const form of [part, ...jsonEscaped(part), ...percentEncoded(part), ...base64(bytes)]) forms.add(form);
  }
  return [...forms].filter((form) => form.length >= MIN_SECRET_LENGTH);
}

/** The value, and the bare secret within it: `redis://:pw@host`, `Bearer abc` and `whsec_…` are known by their inside. */
function partsOf(secret: string): string[] {
  const parts = [secret];
  const token = /^(?:bearer|basic|token)\s+(\S+)$/i.exec(secret)?.[1];
  if (token !== undefined) parts.push(token);
  const signingKey = /^whsec_([A-Za-z0-9+/=_-]+)$/.exec(secret)?.[1];
  if (signingKey !== undefined) {
    parts.push(signingKey, signingKey.replace(/=+$/, ''), Buffer.from(signingKey, 'base64').toString());
  }
  return [...parts, ...urlParts(secret)];
}

function urlParts(secret: string): string[] {
  if (!secret.includes('://') || !URL.canParse(secret)) return [];
  const { username, password, searchParams } = new URL(secret);
  // A token alone may stand where the user name does.
  const userinfo = password === '' ? username : password;
  const parameters = [...searchParams].filter(([name]) => isSecretParameter(name)).map(([, value]) => value);
  return [userinfo, decoded(userinfo), ...parameters];
}

/** Twice as well: a JSON body quoted in an error message is escaped again by the log line around it. */
function jsonEscaped(text: string): string[] {
  const once = JSON.stringify(text).slice(1, -1);
  return [once, JSON.stringify(once).slice(1, -1)];
}

/** Each encoder leaves other characters alone; matching ignores case, so `%2f` and `%2F` are one. */
function percentEncoded(text: string): string[] {
  const wellFormed = Buffer.from(text).toString();
  const component = encodeURIComponent(wellFormed);
  const userinfo = new URL('http://host');
  userinfo.password = wellFormed;
  const form = new URLSearchParams({ v: wellFormed }).toString().slice(2);
  return [component, encodeURIComponent(component), encodeURI(wellFormed), userinfo.password, form];
}

/**
 * Exactly encoded, and as part of something longer (`Basic` is base64 of `user:password`): then the secret may begin at
 * any of three places within a group of three bytes, and only the characters made of nothing else are certain.
 */
function base64(bytes: Buffer): string[] {
  const forms = [bytes.toString('base64')];
  for (const shift of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
    forms.push(text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6)));
  }
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''))];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
