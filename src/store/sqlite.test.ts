import { storeConformance } from '../../test/conformance/store.ts';
import { openSqlite } from './sqlite.ts';

storeConformance('sqlite', (options) => openSqlite(':memory:', options));
