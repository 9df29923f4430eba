import { readFileSync } from 'node:fs';
import type { Document } from 'yaml';
import type { SettingFault } from './settings-fault.js';

export interface FileChoice {
  path: string;
  /** Somebody asked for this very file, so it must be there. */
  isChosen: boolean;
}

/** Never throws: what cannot be read is empty, and a fault unless it is only absent from its usual place. */
export function readSettingsFile({ path, isChosen }: FileChoice): { text: string; faults: SettingFault[] } {
  try {
    return { text: readFileSync(path, 'utf8'), faults: [] };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    const fault = { key: path, value: code, wish: 'a YAML file that can be read' };
    return { text: '', faults: code === 'ENOENT' && !isChosen ? [] : [fault] };
  }
}

/** The parser's own messages may quote the file, and with it a password: only where and what kind. */
export const yamlFaults = ({ errors }: Document.Parsed): string[] =>
  errors.map(({ code, linePos }) => (linePos ? `${code} in line ${linePos[0].line}, column ${linePos[0].col}` : code));

export const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
