import { GleanerError } from '../../domain/errors.js';

/** `null`: there is no such file. */
export async function unlessMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Whatever else a disk says is its own trouble, in one sentence for whoever asked. */
export async function orUnavailable<T>(sentence: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GleanerError) throw error;
    throw new GleanerError('storage_unavailable', sentence, { cause: error });
  }
}
