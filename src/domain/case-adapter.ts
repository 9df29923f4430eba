import type { Adapter } from './adapter.js';
import type { CaseIdentifier } from './case-identifier.js';
import type { RenderMode } from './task.js';

/** Something by which a page is known: an element that is there, or words that it prints. Any one of them will do. */
export interface CaseSigns {
  selectors: readonly string[];
  texts: readonly string[];
}

/** Where a field stands: an element's text, or one of its attributes. */
export interface CaseField {
  selector: string;
  attribute: string | null;
}

/** A register of cases as an operator describes it. Plain data, so that any thread can make an adapter of it. */
export interface CaseDescription {
  name: string;
  /** The series its cases belong to, such as `IMM`. */
  prefix: string;
  /** `{id}`, `{prefix}`, `{number}`, `{number5}` (with leading zeros) and `{year}` stand for the parts of a case. */
  url: string;
  /** The parts of its query that are posted as a form; `null`: none, it is asked for with GET. */
  form: readonly string[] | null;
  render: RenderMode;
  found: CaseSigns;
  noRecord: CaseSigns & { statuses: readonly number[] };
  broken: CaseSigns;
  fields: Readonly<Record<string, CaseField>>;
}

/** An adapter for the pages of one register, which also knows where each of its cases is. */
export interface CaseAdapter extends Adapter {
  readonly name: string;
  readonly prefix: string;
  readonly render: RenderMode;
  /** Statuses by which the register says that it has no such case. */
  readonly noRecordStatuses: readonly number[];
  urlOf(one: CaseIdentifier): string;
}

/** The registers that are configured. */
export interface CaseBook {
  get(name: string): CaseAdapter | undefined;
  names(): string[];
}
