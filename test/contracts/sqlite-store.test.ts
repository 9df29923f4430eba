import { openTempStore } from '../support/sqlite-store.js';
import { storeContract } from './store-contract.js';

storeContract('SQLite', openTempStore);
