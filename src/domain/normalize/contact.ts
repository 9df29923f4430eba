/** An e-mail address from text or a `mailto:` link; its domain in lower case. `null` when it is not one address. */
export function normalizeEmail(text: string): string | null {
  const address = decodedPercent(text.replace(/^mailto:/i, '').split('?', 1)[0] ?? '').trim();
  if (address.length > 254) return null;
  const match = /^([^\s@<>()"',;:]+)@((?:[\p{L}\p{N}-]+\.)+[\p{L}\p{N}-]{2,})$/u.exec(address);
  return match ? `${match[1]}@${match[2]?.toLowerCase()}` : null;
}

/** A phone number as it is printed, without its label. `null` when it is not one number. */
export function normalizePhone(text: string): string | null {
  if (text.length > 100) return null;
  const printed = decodedPercent(text.replace(/^tel:/i, '').split(';', 1)[0] ?? '')
    .replace(/^(?:telephone|telefon|phone|tel|call|t|p)\b[\s.:]*/i, '')
    .trim();
  if (!/^[+(]?[\d\s().+/\u2010-\u2015-]+(?:\s*(?:ext|x|extension)[\s.:]*\d{1,6})?$/i.test(printed)) return null;
  const digits = printed.replace(/\D/g, '').length;
  // E.164 allows 15; an extension and a national zero in brackets may stand beside them.
  return digits >= 5 && digits <= 20 ? printed : null;
}

function decodedPercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
