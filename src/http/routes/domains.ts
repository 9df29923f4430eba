import { fieldError } from '../../domain/errors.js';
import { hostNamed } from '../../domain/host-name.js';
import { domainReportToWire, domainToWire } from '../domain-wire.js';
import type { Door } from '../door.js';
import { success } from '../envelope.js';
import { pageOf, refTo } from '../schemas/answers.js';
import { DOMAIN_PARAMS, DOMAINS_QUERY, DomainReportWire, DomainWire, ResetWire } from '../schemas/domains.js';
import { failureAnswers, successAnswer } from '../schemas/envelopes.js';
import * as examples from '../schemas/examples.js';
import { NO_QUERY } from '../schemas/fields.js';
import { DEFAULT_PAGE_SIZE } from '../schemas/requests.js';
import { pageToWire } from '../wire.js';
import { refuseFields } from './no-fields.js';
import { BODY_CODES, PATH_CODES } from './scrape.js';
import type { App } from './types.js';

/** Nothing here touches the store. */
const CODES = ['unauthorized', 'validation_failed', 'internal_error'] as const;

export function domainRoutes(app: App, door: Door): void {
  readRoutes(app, door);
  resetRoute(app, door);
}

function readRoutes(app: App, { domains }: Door): void {
  app.get(
    '/api/v1/domains',
    {
      schema: {
        operationId: 'listDomains',
        tags: ['domains'],
        summary: 'The domains something is remembered about, by name',
        querystring: DOMAINS_QUERY,
        response: {
          200: successAnswer(pageOf(refTo(DomainWire)), {
            description: 'One page.',
            example: { items: [examples.domain], next_cursor: null },
          }),
          ...failureAnswers(CODES),
        },
      },
    },
    async (request) => {
      const { limit = DEFAULT_PAGE_SIZE, cursor = null, state } = request.query;
      const page = await domains.list(state === undefined ? {} : { state }, { limit, cursor });
      return success(request.id, pageToWire(page, domainToWire));
    },
  );

  app.get(
    '/api/v1/domains/:domain',
    {
      schema: {
        operationId: 'getDomain',
        tags: ['domains'],
        summary: 'How a domain is treated, and why',
        description: 'A domain that was never visited is reported as it would be treated.',
        params: DOMAIN_PARAMS,
        querystring: NO_QUERY,
        response: {
          200: successAnswer(refTo(DomainReportWire), { description: 'The domain.', example: examples.domainReport }),
          ...failureAnswers([...CODES, ...PATH_CODES]),
        },
      },
    },
    async (request) => {
      const report = await domains.report(hostIn(request.params.domain));
      return success(request.id, domainReportToWire(report));
    },
  );
}

function resetRoute(app: App, { domains }: Door): void {
  app.post(
    '/api/v1/domains/:domain/reset',
    {
      schema: {
        operationId: 'resetDomain',
        tags: ['domains'],
        summary: 'Close the circuit breaker of a domain',
        description: 'Its failures are forgotten and it is visited again at once. Each reset leaves a line in the log.',
        params: DOMAIN_PARAMS,
        querystring: NO_QUERY,
        response: {
          200: successAnswer(refTo(ResetWire), { description: 'The domain.', example: examples.domainReset }),
          ...failureAnswers([...CODES, ...PATH_CODES, ...BODY_CODES]),
        },
      },
    },
    async (request) => {
      const host = hostIn(request.params.domain);
      refuseFields(request.body);
      const { before, report } = await domains.reset(host, { requestId: request.id, address: request.ip });
      return success(request.id, { ...domainReportToWire(report), state_before: before });
    },
  );
}

function hostIn(value: string): string {
  const host = hostNamed(value);
  if (host !== null) return host;
  const message = 'must be a domain, a host name or an IP address, without port, path or wildcard.';
  throw fieldError([{ field: 'domain', message, value }]);
}
