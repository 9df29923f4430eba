const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An id as somebody wrote it, in the form in which it is kept; `null` if it is none. */
export const parseUuid = (text: string): string | null => (UUID.test(text) ? text.toLowerCase() : null);
