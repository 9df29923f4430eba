import { type Static, Type } from '@sinclair/typebox';
import { BREAKER_STATES } from '../../domain/breaker.js';
import { BROWSER_ENGINES } from '../../domain/browser-engine.js';
import { RENDER_HABITS } from '../../domain/render-experience.js';
import { ErrorCodeWire, refTo } from './answers.js';
import { choice, closed, nullable, timestamp, uuid } from './fields.js';
import { PAGE_QUERY } from './requests.js';

const text = (description: string) => Type.String({ description });
const whole = (description: string) => Type.Integer({ description });
const number = (description: string) => Type.Number({ description });
const state = () => choice(BREAKER_STATES, { description: 'Of the circuit breaker.' });

export const DOMAIN_PARAMS = Type.Object({
  domain: text('A domain, host name or IP address; what is shown is its registrable domain.'),
});

export const DOMAINS_QUERY = closed({
  ...PAGE_QUERY,
  state: Type.Optional(choice(BREAKER_STATES, { description: 'Only domains whose breaker is in this state.' })),
});

const nextVisit = {
  next_visit_at: nullable(
    timestamp('When a task of the domain could be visited, all things considered; null is at once.'),
  ),
  waiting_for: nullable(choice(['hours', 'breaker', 'rate_limit', 'proxy']), 'What lasts longest until then.'),
};

export const DomainWire = Type.Object(
  {
    domain: text('The registrable domain.'),
    breaker_state: state(),
    tokens_left: whole('Visits that may begin now, one after the other.'),
    next_grant_at: nullable(timestamp('When the next visit may begin; null is at once.')),
    throttled: Type.Boolean({ description: 'Visited more slowly than its policy allows, after a 429.' }),
    visits_under_way: whole('Right now.'),
    queued_tasks: whole('Tasks that wait for their turn.'),
    ...nextVisit,
  },
  { $id: 'Domain', description: 'A domain something is remembered about or queued for.' },
);

const BreakerWire = Type.Object({
  state: state(),
  failures: whole('Among the last `window_size` answers; 0 unless closed, since only then they are counted.'),
  window_size: whole('How many answers are looked back on.'),
  reason: nullable(
    Type.Object({ code: refTo(ErrorCodeWire), message: text('One sentence.') }),
    'What the visit that opened it ended with; null if closed.',
  ),
  opened_at: nullable(timestamp('Since when it has not been closed.')),
  next_probe_at: nullable(timestamp('When one visit may try the domain out; null if closed or while one does.')),
  probe_under_way: Type.Boolean({ description: 'One visit is trying the domain out.' }),
});

const RateLimitWire = Type.Object({
  key: text('The domain, or a host with a rate of its own.'),
  tokens_per_interval: whole('Most visits in any interval.'),
  tokens_left: whole('Visits that may begin now, one after the other.'),
  interval_seconds: number('After this a token comes back.'),
  next_grant_at: nullable(timestamp('When the next visit may begin; null is at once.')),
  visits_under_way: whole('Right now.'),
  slowdown: number('1 is the usual speed, 2 is half of it, and so on.'),
  slow_until: nullable(timestamp('When the usual speed is back; null if it is.')),
});

const RobotsFileWire = Type.Object({
  robots_url: text('The file.'),
  basis: choice(['rules', 'absent', 'unreachable']),
  http_status: nullable(Type.Integer()),
  fetched_at: timestamp('When the file was read.'),
  fresh_until: timestamp('When it will be read again, if needed.'),
  crawl_delay_seconds: nullable(Type.Number()),
  root_allowed: Type.Boolean({ description: 'Whether the root path may be visited.' }),
  rule: nullable(text('The line that decided about the root path, if one did.')),
});

const PolicyWire = Type.Object(
  {
    entry: nullable(text('The name of the entry that holds'), 'Null where only the default does.'),
    tokens_per_interval: Type.Integer(),
    interval_seconds: Type.Integer(),
    min_interval_ms: Type.Integer(),
    min_delay_ms: Type.Integer(),
    max_delay_ms: Type.Integer(),
    max_concurrent: nullable(Type.Integer()),
    browser_engine: nullable(choice(BROWSER_ENGINES), 'What its pages demand; null leaves it to the setting.'),
    allowed_hours: nullable(Type.Object({ start: Type.Integer(), end: Type.Integer() }), 'Hours of the day, UTC.'),
    respect_robots_txt: Type.Boolean(),
    robots_reason: nullable(Type.String()),
  },
  { description: 'As it holds for the host asked for; the keys are those of the policy file.' },
);

const reportFields = {
  domain: text('The registrable domain.'),
  queued_tasks: whole('Tasks that wait for their turn; not those that wait for their own next attempt.'),
  ...nextVisit,
  breaker: BreakerWire,
  rate_limits: Type.Array(RateLimitWire, { description: "The domain's own first, then hosts with their own." }),
  robots: Type.Array(RobotsFileWire, { description: 'One for each origin whose robots.txt is known.' }),
  policy: PolicyWire,
  proxy_cooldowns: Type.Array(
    Type.Object({ proxy: text('Its id.'), until: timestamp('It is not used for the domain before then.') }),
  ),
  render: Type.Array(
    Type.Object({
      target_type: text('A kind of page.'),
      habit: choice(RENDER_HABITS, {
        description:
          '`http_first`: a browser is opened where plain HTTP is not enough. `straight_to_browser`: it never was, so that is left out. `kept_on_http`: a browser brought no more, so none is opened unless the page looks scripted.',
      }),
    }),
    { description: 'What `render: auto` has learnt here; kinds of pages it knows nothing about are left out.' },
  ),
  last_reset: nullable(
    Type.Object({ at: timestamp('When.'), request_id: uuid('Finds the request in the logs.') }),
    'The last reset of the breaker since the service started, if there was one.',
  ),
};

export const DomainReportWire = Type.Object(reportFields, {
  $id: 'DomainReport',
  description: 'Everything that decides whether and when the domain is visited next.',
});

export const ResetWire = Type.Object(
  { ...reportFields, state_before: choice(BREAKER_STATES, { description: 'Of the breaker, before the reset.' }) },
  { $id: 'DomainReset', description: 'The domain after the reset of its breaker.' },
);

export type DomainWire = Static<typeof DomainWire>;
export type DomainReportWire = Static<typeof DomainReportWire>;
