/**
 * The same text in memory of its own. A piece that was cut out of a longer text, as the domain out of a URL, keeps all
 * of that in memory for as long as it lives; what is remembered for long should not.
 */
export const ownText = (piece: string): string => ` ${piece}`.slice(1);
