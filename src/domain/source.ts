/** What brings events beside the configured sources, which have names of their own. An upstream has the name of its platform. */
export const DEMO_SOURCE = 'demo';
export const PUSH_SOURCE = 'push';

/** Whether something was brought by the demo feed, which invents its events. */
export const isDemo = ({ source }: { readonly source?: string | undefined }): boolean => source === DEMO_SOURCE;
