// Whether what is installed is what the lockfile says. npm keeps beside the packages a list of those that it has put there, and
// writes it last.

/** Packages that every machine needs; the others are there or not, as the machine is. */
const needed = ({ packages }) =>
  Object.entries(packages).filter(
    ([path, { optional, devOptional, link }]) => path.includes('node_modules/') && !optional && !devOptional && !link,
  );

const isThere = (installed, [path, { version, integrity }]) =>
  installed?.packages[path]?.version === version && installed.packages[path].integrity === integrity;

/** `installed` is undefined when npm has not finished. */
export const isComplete = (lock, installed, { development }) =>
  needed(lock)
    .filter(([, { dev }]) => development || !dev)
    .every((entry) => isThere(installed, entry));

/** Whether someone has installed development packages here: an install that leaves them out would remove them. */
export const hasDevelopment = (lock, installed) =>
  installed !== undefined && needed(lock).some(([path, { dev }]) => dev === true && path in installed.packages);
