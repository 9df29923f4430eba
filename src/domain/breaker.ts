export const BREAKER_STATES = ['closed', 'open', 'half_open'] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];

export interface BreakerSettings {
  /** How many answers are looked back on. */
  windowSize: number;
  /** More failures than this among them open the circuit. */
  failureThreshold: number;
  cooldownMs: number;
}

/** The last answers of a domain, oldest first; `true` is a failure. Empty as long as there is none. */
export type AnswerWindow = boolean[];

/** Takes one more answer in. `true`: the failures among the last answers are now more than are borne. */
export function countAnswer(
  answers: AnswerWindow,
  { windowSize, failureThreshold }: Pick<BreakerSettings, 'windowSize' | 'failureThreshold'>,
  failed: boolean,
): boolean {
  answers.push(failed);
  if (answers.length > windowSize) answers.shift();
  // A success with no failure before it can never matter: most domains remember nothing at all.
  while (answers[0] === false) answers.shift();
  return failuresIn(answers) > failureThreshold;
}

export const failuresIn = (answers: AnswerWindow): number => answers.filter(Boolean).length;
