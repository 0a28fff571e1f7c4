/** The store in memory, held to what every store must do. */
import { storeConformance } from '../../../test/conformance/store.ts';
import { openSqlite } from '../sqlite.ts';

storeConformance('sqlite in memory', (options) => openSqlite(':memory:', { ...options, settleAfter: 4 }));
