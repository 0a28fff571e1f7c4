import { useEffect, useState } from 'react';

/** Long enough to see that the page under the pointer has changed. */
const ARM_MS = 700;

/**
 * Whether a click can be meant: the page has been in front for a moment. Another page cannot slide this one under a
 * double click, or bring it up just before one.
 */
export function useArmed(): boolean {
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      setArmed(false);
      if (document.visibilityState === 'visible' && document.hasFocus())
        timer = setTimeout(() => setArmed(true), ARM_MS);
    };
    look();
    window.addEventListener('focus', look);
    window.addEventListener('blur', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('focus', look);
      window.removeEventListener('blur', look);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);
  return armed;
}
