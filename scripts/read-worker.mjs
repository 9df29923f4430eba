// The thread that reads long pages, where the service runs from its sources: they must be compiled on the way.
import { register } from 'tsx/esm/api';

register();
await import('../src/read-worker.ts');
