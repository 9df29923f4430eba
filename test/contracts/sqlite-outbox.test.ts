import { openTempStore } from '../support/sqlite-store.js';
import { outboxContract } from './outbox-contract.js';

outboxContract('SQLite', openTempStore);
