/** Before each file of the suite. */
import * as fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED) });
