import { FormatRegistry, type TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRegistry } from '../../src/adapters/registry.js';
import {
  ErrorCodeWire,
  FieldSourceWire,
  JobWire,
  RobotsWire,
  recordsWire,
  taskWire,
  VisitMetaWire,
} from '../../src/http/schemas/answers.js';
import { DomainReportWire, DomainWire, ResetWire } from '../../src/http/schemas/domains.js';
import { JobEventWire, jobEventExample, TaskEventWire, taskEventExample } from '../../src/http/schemas/events.js';
import * as examples from '../../src/http/schemas/examples.js';
import { requestBodies } from '../../src/http/schemas/requests.js';
import * as webhookExamples from '../../src/http/schemas/webhook-examples.js';
import { DeliveryReportWire, DeliveryWire, REDELIVER_BODY, TEST_BODY } from '../../src/http/schemas/webhooks.js';
import { compileValidator } from '../../src/http/validation.js';
import { UUID } from './support.js';

const adapters = createRegistry();
const task = taskWire(adapters);
// TypeBox does not look into a plain `anyOf`: the record is checked against that of its type by itself.
const taskWithoutRecord = { ...task, properties: { ...task.properties, result: undefined } } as unknown as TSchema;
delete taskWithoutRecord.properties.result;

describe('the examples of the document', () => {
  beforeAll(() => {
    FormatRegistry.Set('uuid', (text) => UUID.test(text));
    FormatRegistry.Set('date-time', (text) => !Number.isNaN(Date.parse(text)));
  });

  const faults = (schema: TSchema, value: unknown): string[] =>
    [
      ...Value.Errors(
        schema,
        [ErrorCodeWire, FieldSourceWire, RobotsWire, VisitMetaWire, ...recordsWire(adapters)],
        value,
      ),
    ].map((error) => `${error.path} ${error.message}`);

  it('of tasks and jobs are what the schemas say', () => {
    const { result, ...rest } = examples.completedTask;
    expect(faults(taskWithoutRecord, rest)).toEqual([]);
    expect(faults(taskWithoutRecord, examples.failedTask)).toEqual([]);
    const record = recordsWire(adapters).find((schema) => schema.title === rest.target_type)!;
    expect(faults(record, result)).toEqual([]);
    for (const job of [examples.runningJob, examples.cancelledJob]) expect(faults(JobWire, job)).toEqual([]);
  });

  it('of domains are what the schemas say', () => {
    expect(faults(DomainWire, examples.domain)).toEqual([]);
    expect(faults(DomainReportWire, examples.domainReport)).toEqual([]);
    expect(faults(ResetWire, examples.domainReset)).toEqual([]);
  });

  it('of events are what the schemas say', () => {
    expect(faults(TaskEventWire, taskEventExample)).toEqual([]);
    expect(faults(JobEventWire, jobEventExample)).toEqual([]);
  });

  it('of deliveries are what the schemas say', () => {
    const { deadDelivery, redelivery, deadReport, pingReport } = webhookExamples;
    for (const delivery of [deadDelivery, redelivery]) expect(faults(DeliveryWire, delivery)).toEqual([]);
    for (const report of [deadReport, pingReport]) expect(faults(DeliveryReportWire, report)).toEqual([]);
  });

  const { scrape, sync, batch } = requestBodies(adapters);
  const bodies: Record<string, TSchema> = { scrape, sync, batch, redeliver: REDELIVER_BODY, test: TEST_BODY };
  it.each(Object.keys(bodies))('of the %s body would be accepted', (name) => {
    const schema = bodies[name]!;
    const check = compileValidator({ schema, method: 'POST', url: '/', httpPart: 'body' });
    for (const example of schema.examples) expect(check(example)).toEqual({ value: example });
  });
});
