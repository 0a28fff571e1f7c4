/** Language codes of posts and of pages: X still writes two of them the old way. */
const ON_PAGES: Readonly<Record<string, string>> = { iw: 'he', in: 'id' };
const ON_POSTS: Readonly<Record<string, string>> = { he: 'iw', id: 'in' };

export const languageOnPages = (code: string): string => ON_PAGES[code] ?? code;
export const languageOnPosts = (code: string): string => ON_POSTS[code] ?? code;
