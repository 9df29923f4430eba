import type { ChildProcess } from 'node:child_process';

export const SERVICE_KEY: string;
export const YOUNG_ROOM: string;

export interface BenchService {
  address: string;
  pid: number;
  stop(): Promise<void>;
}

export function startService(options: { policies: string; env?: Record<string, string> }): Promise<BenchService>;
export function addressOf(child: ChildProcess): Promise<string>;
export function cpuMsOf(pid: number): number;
