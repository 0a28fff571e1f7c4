/**
 * Node's own `http`. An import of it reads each of its names, and one of them loads a second HTTP client that nothing here
 * uses: a twentieth of the time that a start takes.
 */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http');
