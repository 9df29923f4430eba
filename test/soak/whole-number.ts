/** An argument of a command, or a sentence that says what is wrong with it. */
export function wholeNumber(name: string, value: string, least = 1): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < least) {
    process.stderr.write(`${name} must be a whole number from ${least} on, not "${value}".\n`);
    process.exit(64);
  }
  return number;
}
