import { collectionsSuite } from './collections-suite.ts';
import { hostileSuite } from './hostile-suite.ts';
import { startServer } from './server.ts';

hostileSuite(startServer);
collectionsSuite(startServer);
