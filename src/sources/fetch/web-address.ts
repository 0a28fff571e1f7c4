/** An address on the web, as options of sources have it. */
import { z } from 'zod';

export const webAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });
