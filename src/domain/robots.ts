/** The verdict of robots.txt about one URL, with what it rests on; part of every result's meta. */
export interface RobotsEvidence {
  allowed: boolean;
  /** `rules`: a file was read; `absent`: 4xx, no rules; `unreachable`: fail closed; `policy_off`: switched off by policy. */
  basis: 'rules' | 'absent' | 'unreachable' | 'policy_off';
  robotsUrl: string | null;
  httpStatus: number | null;
  /** The line that decided, if one did. */
  rule: string | null;
  fetchedAt: number | null;
  crawlDelaySeconds: number | null;
}
