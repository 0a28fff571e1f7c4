/** Copies a text, also on a page that came over plain http, where browsers have no clipboard object. */
export async function copyText(text: string): Promise<boolean> {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  try {
    if (clipboard !== undefined) {
      await clipboard.writeText(text);
      return true;
    }
  } catch {
    // Not allowed: the older way may be.
  }
  return copyOld(text);
}

/** Selects the text in a field that nobody sees. It stays in the dialog that is open, because focus cannot leave that. */
function copyOld(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.setAttribute('aria-hidden', 'true');
  field.className = 'fixed top-0 left-0 size-px opacity-0';
  (before?.closest('[role="dialog"]') ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return isCopied;
}
