// Whether what is installed is what the lockfile says. npm keeps beside the packages a list of those that it has put there, and
// writes it last. A package may have been removed since, so its folder must be there, too.

/** Packages that every machine needs; the others are there or not, as the machine is. */
const needed = ({ packages }) =>
  Object.entries(packages).filter(
    ([path, { optional, devOptional, link }]) => path.includes('node_modules/') && !optional && !devOptional && !link,
  );

const isListed = (installed, [path, { version, integrity }]) =>
  installed?.packages[path]?.version === version && installed.packages[path].integrity === integrity;

/** `installed` is undefined when npm has not finished. */
export const isComplete = (lock, installed, { development, exists }) =>
  needed(lock)
    .filter(([, { dev }]) => development || !dev)
    .every((entry) => isListed(installed, entry) && exists(entry[0]));

/** Whether someone has installed development packages here: an install that leaves them out would remove them. */
export const hasDevelopment = (lock, installed) =>
  installed !== undefined && needed(lock).some(([path, { dev }]) => dev === true && path in installed.packages);
