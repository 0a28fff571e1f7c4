import { useEffect, useState } from 'react';

const AFTER = 350;

/** The value once it has not changed for 350 ms, so that a request is not made for each typed letter. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  const written = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(written) as Value), AFTER);
    return () => clearTimeout(timer);
  }, [written]);
  return settled;
}
