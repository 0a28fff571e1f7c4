import { crashSuite } from './crash-suite.ts';
import { startServer } from './server.ts';

crashSuite(startServer, { kills: 4, integrity: 'ok' });
