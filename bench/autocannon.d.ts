/** The little of autocannon that is used here; the package brings no types. */
declare module 'autocannon' {
  interface Options {
    url: string;
    requests: { method: 'GET' | 'POST'; headers: Record<string, string>; body: string }[];
    connections?: number;
    /** Seconds after which a request counts as an error. */
    timeout?: number;
    duration?: number;
  }
  interface Result {
    requests: { average: number; total: number };
    non2xx: number;
    errors: number;
  }
  function autocannon(options: Options): Promise<Result>;
  export = autocannon;
}
