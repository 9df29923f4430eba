const SAMPLE = 4_000;
const FEW = 5;
const MAX_CONTROLS = 0.04;
const MAX_UNREADABLE = 0.15;

/**
 * Random bytes are known by their first characters: in any encoding a tenth of them are control characters. Characters
 * that could not be decoded alone prove less, for a page that names the wrong encoding still has all its markup.
 */
export function isText(source: string): boolean {
  const sample = source.slice(0, SAMPLE);
  let [controls, undecoded] = [0, 0];
  for (let at = 0; at < sample.length; at += 1) {
    const code = sample.charCodeAt(at);
    if (isControl(code)) controls += 1;
    else if (code === REPLACEMENT) undecoded += 1;
  }
  if (controls + undecoded < FEW) return true;
  return controls <= sample.length * MAX_CONTROLS && controls + undecoded <= sample.length * MAX_UNREADABLE;
}

const REPLACEMENT = 0xfffd;
const ESCAPE = 0x1b;

/** White space is text, and so is what colours the output of terminals. */
const isControl = (code: number): boolean =>
  code < 9 || (code > 13 && code < 32 && code !== ESCAPE) || (code >= 127 && code < 160 && code !== 0x85);
